"""Every scalar and histogram of the event files below a folder, as JSON lines, by TensorBoard's own reader."""

import glob
import json
import os
import sys

from tensorboard.backend.event_processing.event_accumulator import HISTOGRAMS, SCALARS, EventAccumulator

for path in sorted(glob.glob(os.path.join(sys.argv[1], "**", "events.out.tfevents.*"), recursive=True)):
    events = EventAccumulator(path, size_guidance={SCALARS: 0, HISTOGRAMS: 0})
    events.Reload()
    for tag in events.Tags()["scalars"]:
        for event in events.Scalars(tag):
            print(json.dumps({"series": tag, "step": event.step, "value": event.value}))
    for tag in events.Tags()["histograms"]:
        for event in events.Histograms(tag):
            drawn = event.histogram_value
            print(json.dumps({"series": tag, "step": event.step, "counts": list(drawn.bucket),
                              "edges": [drawn.min, *drawn.bucket_limit]}))
