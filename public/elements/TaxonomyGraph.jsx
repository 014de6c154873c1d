import { useState } from "react"

// The DAG of one dimension at a time, as a drawing and as a nested list. Places come from the server.
const WIDTH = 196, GAP = 36, ROW = 46, BOX = 34

function clip(text, length) {
  return text.length > length ? text.slice(0, length - 1).trimEnd() + "…" : text
}

export default function TaxonomyGraph() {
  const dimensions = [...new Set(props.nodes.map((n) => n.dimension))]
  const [dimension, setDimension] = useState(dimensions[0])
  const [chosen, setChosen] = useState(null)
  const [asText, setAsText] = useState(false)
  const nodes = props.nodes.filter((n) => n.dimension === dimension)
  const byId = Object.fromEntries(nodes.map((n) => [n.id, n]))
  const edges = props.edges.filter(([a, b]) => byId[a] && byId[b])
  const x = (n) => n.column * (WIDTH + GAP) + 4
  const y = (n) => n.row * ROW + 6
  const width = Math.max(...nodes.map(x), 0) + WIDTH + 8
  const height = Math.max(...nodes.map(y), 0) + BOX + 12
  const firstParent = {}
  edges.forEach(([a, b]) => { firstParent[b] ??= a })
  const below = (id) => edges.filter(([a]) => a === id).map(([, b]) => byId[b])
  const roots = nodes.filter((n) => !edges.some(([, b]) => b === n.id))
  const open = chosen && byId[chosen]

  const Twin = (n, seen) => (
    <li key={n.id}>
      {n.label} <span className="mw-small">{n.papers.length} {n.papers.length === 1 ? "paper" : "papers"}
        {seen.includes(n.id) ? " (shown above)" : ""}</span>
      {!seen.includes(n.id) && below(n.id).length > 0 && <ul>{below(n.id).map((c) => Twin(c, [...seen, n.id]))}</ul>}
    </li>
  )

  return (
    <div className="mw-card" data-testid="taxonomy">
      <div className="mw-head">
        <div className="mw-tabs" role="tablist">
          {dimensions.map((d) => (
            <button key={d} type="button" role="tab" aria-selected={d === dimension}
              onClick={() => { setDimension(d); setChosen(null) }}>
              {d} <span className="mw-small">{props.nodes.filter((n) => n.dimension === d).length}</span>
            </button>
          ))}
        </div>
        <button type="button" className="mw-link" onClick={() => setAsText(!asText)}>{asText ? "As a graph" : "As text"}</button>
      </div>
      {asText ? (
        <ul className="mw-twin" data-testid="taxonomy-text">{roots.map((n) => Twin(n, []))}</ul>
      ) : (
        <div className="mw-scroll">
          <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img"
            aria-label={`${dimension}: ${nodes.map((n) => n.label).join(", ")}`}>
            {edges.map(([a, b]) => {
              const from = byId[a], to = byId[b]
              const x1 = x(from) + WIDTH, y1 = y(from) + BOX / 2, x2 = x(to), y2 = y(to) + BOX / 2, bend = (x2 - x1) / 2
              return <path key={a + b} className={`mw-edge ${firstParent[b] === a ? "" : "mw-further"}`} d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`} />
            })}
            {nodes.map((n) => (
              <g key={n.id} data-node={n.id} className={`mw-node ${n.id === chosen ? "mw-chosen" : ""}`} tabIndex={0} role="button"
                aria-label={`${n.label}, ${n.papers.length} papers`}
                onClick={() => setChosen(n.id === chosen ? null : n.id)}
                onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && setChosen(n.id === chosen ? null : n.id)}>
                <title>{n.gloss || n.label}</title>
                <rect x={x(n)} y={y(n)} width={WIDTH} height={BOX} rx="8" />
                <text x={x(n) + 10} y={y(n) + 21}>{clip(n.label, 21)}</text>
                <text x={x(n) + WIDTH - 10} y={y(n) + 21} textAnchor="end" className="mw-count">{n.papers.length}</text>
              </g>
            ))}
          </svg>
        </div>
      )}
      {open && (
        <div className="mw-below">
          <b>{open.label}</b>{open.gloss && open.gloss !== open.label && <span className="mw-small"> {open.gloss}</span>}
          <ul className="mw-twin">{open.papers.map((p) => <li key={p}>{p}</li>)}</ul>
        </div>
      )}
    </div>
  )
}
