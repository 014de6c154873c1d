import { useEffect, useState } from "react"
import { BookOpen, Check, CircleHelp, RotateCw, X } from "lucide-react"

// One row per claim; an open row shows all that speaks for and against it.
const STATES = ["unsupported", "disputed", "not checked", "re-attributed", "corrected", "supported"]
const SIGNS = { supported: "✓", disputed: "?", corrected: "✎", "re-attributed": "↷", unsupported: "✗", "not checked": "○" }

function Words({ words }) {
  return words.map(([text, marked], i) => (marked ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>))
}

export default function ClaimLedger() {
  // New props mount this anew; what was open stays open.
  const kept = (window.marwgLedgers ??= {})[props.version] ?? {}
  const [state, setState] = useState(kept.state ?? "all")
  const [byRisk, setByRisk] = useState(kept.byRisk ?? false)
  const [open, setOpen] = useState(kept.open ?? null)
  window.marwgLedgers[props.version] = { state, byRisk, open }
  const [problem, setProblem] = useState("")
  const isOpen = props.state === "open"

  // A badge in the text asks for its claim.
  useEffect(() => {
    const ask = (e) => {
      if (!isOpen || e.detail.handled) return
      e.detail.handled = true
      setState("all")
      setOpen(e.detail.claim)
      setTimeout(() => document.querySelector(`[data-ledger="open"] [data-claim="${e.detail.claim}"]`)
        ?.scrollIntoView({ behavior: "smooth", block: "center" }), 80)
    }
    window.addEventListener("marwg:claim", ask)
    return () => window.removeEventListener("marwg:claim", ask)
  }, [isOpen])

  const press = async (name, payload) => {
    setProblem("")
    const answer = await callAction({ name, payload })
    const response = answer?.response
    if (!response?.started) setProblem(response?.problem || "The server did not answer. Load the page again.")
  }
  const rows = props.rows.filter((r) => state === "all" || r.state === state)
  rows.sort((a, b) => (byRisk ? a.risk - b.risk : 0) || a.number - b.number)
  const count = (s) => props.rows.filter((r) => r.state === s).length

  const Detail = (r) => (
    <div className="mw-detail" data-open={r.number}>
      {r.corrections.map((c, i) => (
        <div key={`c${i}`} className="mw-part">
          <div className="mw-label">{c.kind} by {c.by}{c.reason && `: ${c.reason}`}</div>
          <div><del>{c.before}</del></div>
          {c.after && <div><ins>{c.after}</ins></div>}
        </div>
      ))}
      {r.findings.length > 0 && (
        <div className="mw-part">
          <div className="mw-label">Found without a model</div>
          {r.findings.map((f, i) => <div key={`f${i}`}><span className="mw-chip mw-warn">{f.rule}</span> {f.message} {f.words && <q>{f.words}</q>}</div>)}
        </div>
      )}
      {r.judgements.length > 0 && (
        <div className="mw-part">
          <div className="mw-label">Judgements</div>
          {r.judgements.map((j, i) => (
            <div key={`j${i}`} className="mw-judgement">
              <span className={`mw-chip ${j.label === "supported" ? "mw-good" : j.label === "not supported" ? "mw-bad" : ""}`}>{j.label}</span>{" "}
              <b>{j.judge}</b>
              {j.papers.length > 0 && <span className="mw-small"> on {j.papers.join("; ")}</span>}
              {j.error_type && " "}{j.error_type && <span className="mw-chip mw-warn">{j.error_type}</span>}
              {j.confidence !== null && <span className="mw-small"> · {Math.round(j.confidence * 100)} % sure</span>}
              {j.reason && <div>{j.reason}</div>}
              {j.quote && <div className="mw-small">“{j.quote}”</div>}
            </div>
          ))}
        </div>
      )}
      {r.evidence.length > 0 && (
        <div className="mw-part">
          <div className="mw-label">Passages that were read</div>
          {r.evidence.map((e, i) => (
            <blockquote key={`e${i}`} title={e.title}>
              <Words words={e.words} />
              <footer>{e.url ? <a href={e.url} target="_blank" rel="noreferrer">{e.cited_as}</a> : e.cited_as}, {e.where}</footer>
            </blockquote>
          ))}
        </div>
      )}
      {r.abstract_only && <div className="mw-small">Only abstracts of the cited papers are in the library.</div>}
      {isOpen && (
        <div className="mw-foot">
          <button type="button" className="mw-plain" data-do="sources" onClick={() => press("claim_sources", { claim: r.number })}><BookOpen size={15} /> Sources</button>
          <button type="button" className="mw-plain" data-do="why" onClick={() => press("claim_why", { claim: r.number })}><CircleHelp size={15} /> Why?</button>
          <button type="button" className="mw-plain" data-do="accept" aria-pressed={r.decision === "accept"} onClick={() => press("claim_decide", { claim: r.number, decision: "accept" })}><Check size={15} /> Accept</button>
          <button type="button" className="mw-plain" data-do="reject" aria-pressed={r.decision === "reject"} onClick={() => press("claim_decide", { claim: r.number, decision: "reject" })}><X size={15} /> Reject</button>
          <button type="button" className="mw-plain" data-do="recheck" onClick={() => press("claim_recheck", { claim: r.number })}><RotateCw size={15} /> Check again</button>
        </div>
      )}
    </div>
  )

  return (
    <div className="mw-card" data-testid="ledger" data-ledger={props.state}>
      <div className="mw-head">
        <div className="mw-tabs" role="group" aria-label="States">
          <button type="button" aria-pressed={state === "all"} onClick={() => setState("all")}>all <span className="mw-small">{props.rows.length}</span></button>
          {STATES.filter(count).map((s) => (
            <button key={s} type="button" data-filter={s} aria-pressed={state === s} onClick={() => setState(s)}>
              <span className={`mw-sign mw-is-${s.replace(" ", "-")}`}>{SIGNS[s]}</span> {s} <span className="mw-small">{count(s)}</span>
            </button>
          ))}
        </div>
        <button type="button" className="mw-link" onClick={() => setByRisk(!byRisk)}>{byRisk ? "In reading order" : "Riskiest first"}</button>
      </div>
      {!isOpen && <div className="mw-small mw-pad">Ledger of version {props.version}; a newer one is below.</div>}
      {isOpen && !props.independent && (
        <div className="mw-small mw-pad">Both verdicts come from the same judge ({props.judges[0]}), so they are not independent.</div>
      )}
      <div className="mw-claims">
        {rows.map((r) => (
          <div key={r.id} className="mw-claim" data-claim={r.number} data-claim-state={r.state}>
            <button type="button" className="mw-row" aria-expanded={open === r.number} onClick={() => setOpen(open === r.number ? null : r.number)}>
              <span className={`mw-badge mw-is-${r.state.replace(" ", "-")}`}>{r.number} {SIGNS[r.state]}</span>
              <span className="mw-sentence">
                {r.sentence}
                <span className="mw-small">
                  {" "}{r.state}{r.error_type && ` · ${r.error_type}`}{r.kind !== "cited" && ` · ${r.kind === "focal" ? "about your paper" : "no citation"}`}
                  {r.abstract_only && " · abstract only"}
                  {r.decision && <b> · {r.decision === "accept" ? "accepted" : "rejected"} by you</b>}
                </span>
              </span>
            </button>
            {open === r.number && Detail(r)}
          </div>
        ))}
        {rows.length === 0 && <div className="mw-small mw-pad">No claims.</div>}
      </div>
      {problem && <div role="alert" className="mw-problem mw-pad">{problem}</div>}
    </div>
  )
}
