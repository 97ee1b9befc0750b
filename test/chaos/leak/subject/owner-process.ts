/*
 * A program that owns sandboxes and is in the middle of using them: it prints `ready` and is killed from outside. As a mutant
 * its sandboxes have no dead man's switch.
 */
import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import { bubblewrapArguments } from '../../../../packages/sdk/src/sandbox/namespace/bubblewrap-arguments.ts';

const [owner = '', kind = ''] = process.argv.slice(2);

const deaf = (words: readonly string[]): string[] =>
  words.filter((word) => word !== '--die-with-parent').map((word) => word.replace('exec cat', 'exec sleep 120'));
const mutant: typeof bubblewrapArguments = {
  buildHolder: (options) => deaf(bubblewrapArguments.buildHolder(options)),
  buildExec: (options) => deaf(bubblewrapArguments.buildExec(options)),
};

const provider = createNamespaceProvider(kind === 'mutant' ? { arguments: mutant } : {});
const commands = [
  'sleep 300',
  '(setsid sleep 300 &); setsid sleep 300 & sleep 300',
  "trap '' TERM INT HUP; while :; do sleep 0.05; done",
];
await Promise.all(
  commands.map(async (command) => {
    const sandbox = await provider.create({ owner });
    const begun = Promise.withResolvers<void>();
    void sandbox.exec(`echo begun; ${command}`, { onOutput: () => begun.resolve() });
    await begun.promise;
  }),
);
process.stdout.write('ready\n');
// Goes on making and destroying, so that a kill also meets one that is half made.
for (;;) {
  const sandbox = await provider.create({ owner });
  await sandbox.exec('true');
  await sandbox.destroy();
}
