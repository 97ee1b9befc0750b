/* A program of an ordinary user that makes sandboxes: what it prints are lines of JSON for the show that started it. */
import { createNamespaceProvider, SandboxError } from '@lachesis/sdk/sandbox';

import { ABUSES } from '../cases/abuses.ts';
import { attackProvider } from './attack-provider.ts';
import { openCanaries } from './open-canaries.ts';
import { runAbuses } from './run-abuses.ts';

const [mode = '', scratch = '', uidText = ''] = process.argv.slice(2);
const uid = Number(uidText);
// Everything is loaded by now, so it does not matter whether the user may read this repository.
process.setgroups?.([uid]);
process.setgid?.(uid);
process.setuid?.(uid);
process.chdir('/');

const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

if (mode === 'alone') {
  const provider = createNamespaceProvider();
  const error: unknown = await provider.create({ owner: 'chaos-sandbox' }).catch((cause: unknown) => cause);
  report({ refusal: SandboxError.isInstance(error) ? error.message : 'a sandbox was made' });
  await provider.close();
} else {
  const canaries = await openCanaries(scratch);
  const provider = createNamespaceProvider();
  const name = 'escapes, an ordinary user';
  report(await attackProvider({ provider, canaries, name, log: () => undefined }));
  const abuses = ABUSES.filter(({ needsRoot }) => needsRoot !== true);
  await runAbuses({
    ...{ provider, abuses },
    report: (line) => report({ ...line, name: `${line.name}, an ordinary user` }),
  });
  await canaries.close();
  await provider.close();
}
