// What the page does beside the framework: badges open their claim, and the view follows a run until the draft is there.

// A badge behind a sentence is a link to "#claim-4-supported"; it opens row 4 of the ledger instead of a new page.
document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.('a[href^="#claim-"]')
    if (!link) return
    event.preventDefault()
    event.stopPropagation()
    const claim = Number(link.getAttribute("href").split("-")[1])
    window.dispatchEvent(new CustomEvent("marwg:claim", { detail: { claim, handled: false } }))
  },
  true,
)

// The framework stops following when an element grows after it was drawn, as tables and graphs do. Here only the reader
// stops it, by scrolling up; and the finished draft is shown from its beginning.
let box = null
let following = true
let drafts = -1
let lastRunning = 0

const atEnd = () => box.scrollHeight - box.scrollTop - box.clientHeight < 40
const running = () => {
  if (document.getElementById("stop-button")) lastRunning = Date.now()
  return Date.now() - lastRunning < 1500 // what came last is still being drawn
}
const draftMessages = () => [...document.querySelectorAll(".ai-message")].filter((m) => m.querySelector('a[href^="#claim-"]'))

const readerMoved = () => setTimeout(() => (following = box ? atEnd() : true), 120)
for (const kind of ["wheel", "touchmove", "pointerup"]) document.addEventListener(kind, readerMoved, { passive: true })
document.addEventListener("keyup", (e) => ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"].includes(e.key) && readerMoved())


// Who begins something wants to see it.
const begins = "#chat-submit, .mw-main, [id^='starter-']"
document.addEventListener("click", (e) => e.target.closest?.(begins) && setTimeout(() => (following = true), 150), true)
document.addEventListener("keydown", (e) => e.key === "Enter" && e.target.id === "chat-input" && (following = true), true)

const look = () => {
  const message = document.querySelector("[data-step-type]")
  if (!message) {
    box = null
    following = true
    drafts = -1
    return
  }
  if (!box?.contains(message)) {
    box = message.parentElement
    while (box && getComputedStyle(box).overflowY !== "auto") box = box.parentElement
    if (!box) return
    lastRunning = Date.now() // a conversation that was opened again is shown from where it ended
  }
  const found = draftMessages()
  if (running() && found.length > Math.max(drafts, 0)) {
    if (following) found.at(-1).scrollIntoView({ block: "start" })
    following = false
  } else if (running() && following) {
    box.scrollTop = box.scrollHeight
  }
  drafts = found.length
}
let waiting = false
new MutationObserver(() => {
  if (waiting) return
  waiting = true
  setTimeout(() => {
    waiting = false
    look()
  }, 60)
}).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["style", "data-state"] })
