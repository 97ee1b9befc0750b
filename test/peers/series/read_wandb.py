"""Every number and histogram of the offline runs below a folder, as JSON lines, by the reader of the W&B client."""

import glob
import json
import os
import sys

from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal.datastore import DataStore

for path in sorted(glob.glob(os.path.join(sys.argv[1], "**", "run-*.wandb"), recursive=True)):
    store = DataStore()
    store.open_for_scan(path)
    while True:
        data = store.scan_data()
        if data is None:
            break
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.WhichOneof("record_type") != "history":
            continue
        row = {}
        for item in record.history.item:
            # A histogram is three entries below its name.
            *above, name = item.nested_key or [item.key]
            values = row.setdefault(above[0], {}) if above else row
            values[name] = json.loads(item.value_json)
        for series, value in row.items():
            if series == "step" or series.startswith("_"):
                continue
            if isinstance(value, dict):
                print(json.dumps({"series": series, "step": row["step"], "counts": value["values"],
                                  "edges": value["bins"]}))
            else:
                print(json.dumps({"series": series, "step": row["step"], "value": value}))
