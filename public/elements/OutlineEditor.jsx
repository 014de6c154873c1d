import { useState } from "react"
import { ArrowDown, ArrowUp, Check, Merge, Plus, Trash2 } from "lucide-react"

// The outline: titles, order and papers can be changed until it is approved. The server checks what it is sent.
export default function OutlineEditor() {
  const [topics, setTopics] = useState(props.topics)
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const isOpen = props.state === "open"
  const shown = isOpen ? topics : props.topics
  const changed = JSON.stringify(topics) !== JSON.stringify(props.topics)
  const placed = new Set(topics.flatMap((t) => t.papers))
  const free = Object.keys(props.papers).filter((p) => !placed.has(p))

  const reasons = Object.fromEntries((props.uncovered || []).map((u) => [u.id, u.reason]))

  const edit = (change) => {
    const next = topics.map((t) => ({ ...t, papers: [...t.papers] }))
    setProblem("")
    setTopics(change(next) ?? next)
  }
  const rename = (i, title) => edit((t) => { t[i].title = title })
  const swap = (i, j) => edit((t) => { [t[i], t[j]] = [t[j], t[i]] })
  const remove = (i) => edit((t) => t.filter((_, k) => k !== i))
  const add = () => edit((t) => {
    let n = 1
    while (t.some((one) => one.topic_id === `new${n}`)) n += 1
    return [...t, { topic_id: `new${n}`, title: "", papers: [] }]
  })
  const merge = (i) => edit((t) => {
    t[i].papers.push(...t[i + 1].papers)
    if (!t[i].title) t[i].title = t[i + 1].title
    return t.filter((_, k) => k !== i + 1)
  })
  const move = (paper, to) => edit((t) => {
    t.forEach((one) => { one.papers = one.papers.filter((p) => p !== paper) })
    if (to !== "") t[Number(to)].papers.push(paper)
  })
  const send = async (name) => {
    if (topics.some((t) => !t.title.trim())) return setProblem("Every topic needs a title.")
    setBusy(true)
    const outline = topics.map((t) => ({ topic_id: t.topic_id, title: t.title.trim(), papers: t.papers }))
    const answer = await callAction({ name, payload: { outline } })
    setBusy(false)
    const response = answer?.response
    if (!response?.started) setProblem(response?.problem || "The server did not answer. Load the page again.")
  }

  const Paper = (p, topic) => (
    <li key={p} className="mw-paper">
      <span title={props.papers[p]?.title}>{props.papers[p]?.title || p} <span className="mw-small">{props.papers[p]?.cited_as}
        {topic === "" && reasons[p] ? ` · ${reasons[p]}` : ""}</span></span>
      {isOpen && (
        <select aria-label="Move to topic" value={topic} data-move={p} onChange={(e) => move(p, e.target.value)}>
          {topics.map((t, i) => <option key={t.topic_id} value={i}>{`topic ${i + 1}`}</option>)}
          <option value="">no topic</option>
        </select>
      )}
    </li>
  )

  return (
    <div className="mw-card" data-testid="outline" data-state={props.state}>
      {!isOpen && (
        <div className="mw-head">
          <span className={`mw-chip ${props.state === "approved" ? "mw-good" : ""}`}>
            {props.state === "approved" ? "✓ Approved" : "Superseded by a newer outline"}
          </span>
        </div>
      )}
      <ol className={`mw-topics ${props.state === "superseded" ? "mw-faint" : ""}`}>
        {shown.map((t, i) => (
          <li key={t.topic_id} data-topic={t.topic_id}>
            <div className="mw-line">
              <span className="mw-number">{i + 1}</span>
              {isOpen ? (
                <input aria-label={`Title of topic ${i + 1}`} value={t.title} maxLength={200} placeholder="Title of the new topic"
                  onChange={(e) => rename(i, e.target.value)} />
              ) : <b className="mw-title">{t.title}</b>}
              {isOpen && (
                <span className="mw-tools">
                  <button type="button" title="Move up" disabled={i === 0} onClick={() => swap(i, i - 1)}><ArrowUp size={15} /></button>
                  <button type="button" title="Move down" disabled={i === topics.length - 1} onClick={() => swap(i, i + 1)}><ArrowDown size={15} /></button>
                  <button type="button" title="Merge with the next topic" disabled={i === topics.length - 1} onClick={() => merge(i)}><Merge size={15} /></button>
                  <button type="button" title="Delete this topic" disabled={topics.length === 1} onClick={() => remove(i)}><Trash2 size={15} /></button>
                </span>
              )}
            </div>
            {t.nodes?.length > 0 && <div className="mw-small mw-indent">From the taxonomy: {t.nodes.join(" · ")}</div>}
            <ul>{t.papers.map((p) => Paper(p, i))}</ul>
            {t.papers.length === 0 && <div className="mw-small mw-indent">No papers yet; those that fit are looked for.</div>}
          </li>
        ))}
      </ol>
      {isOpen && free.length > 0 && (
        <details className="mw-free" open={changed}>
          <summary>{free.length === 1 ? "1 paper has" : `${free.length} papers have`} no topic</summary>
          <ul>{free.map((p) => Paper(p, ""))}</ul>
        </details>
      )}
      {isOpen && (
        <div className="mw-foot">
          <button type="button" className="mw-main" data-testid="approve" disabled={busy} onClick={() => send("outline_approve")}>
            <Check size={16} /> {changed ? "Approve with changes" : "Approve"}
          </button>
          {changed && <button type="button" className="mw-plain" data-testid="save" disabled={busy} onClick={() => send("outline_save")}>Save and look again</button>}
          <button type="button" className="mw-plain" data-testid="add-topic" onClick={add}><Plus size={15} /> Topic</button>
          {changed && <button type="button" className="mw-link" onClick={() => { setTopics(props.topics); setProblem("") }}>Undo changes</button>}
          {problem && <span role="alert" className="mw-problem">{problem}</span>}
        </div>
      )}
    </div>
  )
}
