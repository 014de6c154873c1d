import { useState } from "react"

// Candidates in order: which were taken, and why. Sorting and folding stay in the page.
const COLUMNS = [
  ["title", "Paper"],
  ["year", "Year"],
  ["topic", "Topic"],
  ["similarity", "Relevance"],
  ["full_text", "Text"],
]
const GRADES = ["not needed", "useful", "important", "essential"]

export default function CandidateTable() {
  const [all, setAll] = useState(false)
  const [sort, setSort] = useState({ by: null, down: true })
  const taken = props.rows.filter((r) => r.taken)
  const rows = [...(all ? props.rows : taken)]
  if (sort.by) {
    const value = (r) => r[sort.by] ?? ""
    rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (sort.down ? -1 : 1))
  }
  const press = (by) => setSort({ by, down: sort.by === by ? !sort.down : by !== "title" && by !== "topic" })

  return (
    <div className="mw-card" data-testid="candidates">
      <div className="mw-scroll mw-tall">
        <table className="mw-table">
          <thead>
            <tr>
              {COLUMNS.map(([by, name]) => (
                <th key={by} aria-sort={sort.by === by ? (sort.down ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => press(by)}>
                    {name}
                    {sort.by === by ? (sort.down ? " ↓" : " ↑") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.id} data-paper={r.id} className={r.taken ? "" : "mw-faint"}>
                <td className="mw-wide">
                  <div>{r.url ? <a href={r.url} target="_blank" rel="noreferrer">{r.title}</a> : r.title}</div>
                  <div className="mw-small">
                    {r.cited_as}
                    {r.role ? ` · ${r.role}` : ""}
                    {r.grade === null || r.grade === undefined ? "" : ` · ${GRADES[r.grade]}`}
                  </div>
                  {r.reason && <div className="mw-small">{r.reason}</div>}
                </td>
                <td>{r.year ?? "–"}</td>
                <td>{r.topic || "–"}</td>
                <td>
                  <span className="mw-bar" title={String(r.similarity)}>
                    <span style={{ width: `${Math.max(2, Math.round(r.similarity * 100))}%` }} />
                  </span>
                  <span className="mw-small">{r.similarity.toFixed(2)}</span>
                </td>
                <td>
                  <span className={`mw-chip ${r.full_text ? "mw-good" : ""}`}>
                    {r.full_text ? "full text" : r.note ? "our note only" : "abstract only"}
                  </span>
                  {r.pages.length > 0 && <div className="mw-small">p. {r.pages.join(", ")}</div>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="mw-foot">
        {props.rows.length > taken.length && (
          <button type="button" className="mw-link" onClick={() => setAll(!all)}>
            {all ? `Show the ${taken.length} taken` : `Show all ${props.rows.length} candidates`}
          </button>
        )}
        {props.queries.length > 0 && <span className="mw-small">Also searched for: {props.queries.join(" · ")}</span>}
      </div>
    </div>
  )
}
