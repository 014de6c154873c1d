import { useState } from "react"
import { Play } from "lucide-react"

// Goes on with a run that was stopped or interrupted.
export default function ContinueCard() {
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  if (props.state !== "open") return <span className="mw-small" data-testid="continued">Continued.</span>
  const go = async () => {
    setBusy(true)
    const answer = await callAction({ name: "run_continue", payload: {} })
    setBusy(false)
    if (!answer?.response?.started) setProblem(answer?.response?.problem || "The server did not answer. Load the page again.")
  }
  return (
    <div className="mw-foot" data-testid="continue">
      <button type="button" className="mw-main" disabled={busy} onClick={go}><Play size={15} /> Continue</button>
      {problem && <span role="alert" className="mw-problem">{problem}</span>}
    </div>
  )
}
