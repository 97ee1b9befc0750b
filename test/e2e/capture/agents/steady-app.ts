import { createRecorder, recordFetch, type Recorder } from '@lachesis/sdk/capture';

/*
 * An application that calls a model until it is ended, and says each turn whose reply it has. `late` is the seeded fault:
 * a recorder that writes when it finds time.
 */
const [baseUrl = '', trajectory = '', mode = '', count = '1000000'] = process.argv.slice(2);

function writeLate(real: Recorder): Recorder {
  return { ...real, record: (draft) => (setTimeout(() => real.record(draft), 2_000), 'later') };
}

const real = createRecorder();
const recorder = mode === 'late' ? writeLate(real) : real;
const send = recordFetch(fetch, { recorder, trajectory });
const messages: { role: string; content: string }[] = [];
for (let turn = 0; turn < Number(count); turn += 1) {
  messages.splice(0, messages.length, { role: 'user', content: `turn ${turn}` });
  const response = await send(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'policy', messages, stream: turn % 2 === 0 }),
  });
  await response.text();
  process.stdout.write(`${turn}\n`);
}
