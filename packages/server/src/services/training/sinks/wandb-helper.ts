/**
 * The other side of the W&B sink: reads JSON lines and hands them to the official Python client. The first line says how to
 * start a run; the end of the input ends it. The x axis is our own `step`: rows of a step come from the trainer and from
 * environments, and the client's counter takes no row for a step that it has left behind.
 */
export const WANDB_HELPER = `
import json, os, sys
try:
    import wandb
except ImportError:
    print(json.dumps({"error": "no-wandb"}), flush=True)
    sys.exit(3)
options = json.loads(sys.stdin.readline())
mode = options["mode"]
if mode == "auto":
    mode = "online" if os.environ.get("WANDB_API_KEY") else "offline"
try:
    run = wandb.init(entity=options.get("entity"), project=options["project"], group=options.get("group"),
                     name=options.get("name"), id=options.get("id"), resume="allow", mode=mode,
                     dir=os.environ.get("WANDB_DIR") or options["directory"], config=options.get("config"))
except Exception as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(4)
run.define_metric("step", hidden=True)
run.define_metric("*", step_metric="step")
print(json.dumps({"ready": True, "mode": mode, "url": getattr(run, "url", None), "entity": run.entity or None,
                  "project": run.project or options["project"]}), flush=True)
for line in sys.stdin:
    row = json.loads(line)
    values = {name: value for name, value in row["values"].items() if value is not None}
    for name, drawn in (row.get("histograms") or {}).items():
        values[name] = wandb.Histogram(np_histogram=(drawn["counts"], drawn["edges"]))
    run.log({**values, "step": row["step"]})
run.finish()
`;
