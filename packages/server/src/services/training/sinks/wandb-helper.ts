/**
 * The other side of the W&B sink: reads JSON lines and hands them to the official Python client. The first line says how to
 * start a run; the end of the input ends it.
 */
export const WANDB_HELPER = `
import json, sys
try:
    import wandb
except ImportError:
    print(json.dumps({"error": "no-wandb"}), flush=True)
    sys.exit(3)
options = json.loads(sys.stdin.readline())
run = wandb.init(project=options["project"], group=options.get("group"), name=options.get("name"),
                 id=options.get("id"), resume="allow", dir=options["directory"], mode=options["mode"],
                 config=options.get("config"))
print(json.dumps({"ready": True, "url": getattr(run, "url", None)}), flush=True)
for line in sys.stdin:
    row = json.loads(line)
    wandb.log(row["values"], step=row["step"])
wandb.finish()
`;
