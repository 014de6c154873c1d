// The passages that were read for one claim, whole, with the words that carry the support marked.
export default function SourcePanel() {
  return (
    <div className="mw-detail" data-testid="sources">
      {props.passages.map((p, i) => (
        <blockquote key={i}>
          <div className="mw-label">{p.title}</div>
          {p.words.map(([text, marked], k) => (marked ? <mark key={k}>{text}</mark> : <span key={k}>{text}</span>))}
          <footer>{p.url ? <a href={p.url} target="_blank" rel="noreferrer">{p.cited_as}</a> : p.cited_as}, {p.where}</footer>
        </blockquote>
      ))}
      {props.passages.length === 0 && <div className="mw-small">No passage was read for this claim.</div>}
    </div>
  )
}
