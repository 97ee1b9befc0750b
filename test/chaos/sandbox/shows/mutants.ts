import { bubblewrapArguments, createNamespaceProvider } from '@lachesis/sdk/sandbox';
import type { BubblewrapArguments, NamespaceProviderOptions } from '@lachesis/sdk/sandbox';

import type { Show } from '../../../shows/show.ts';
import { attacks } from '../cases/attacks.ts';
import { openCanaries } from '../world/open-canaries.ts';
import { runAttacks } from '../world/run-attacks.ts';

const change = (changed: Partial<BubblewrapArguments>): BubblewrapArguments => ({ ...bubblewrapArguments, ...changed });
const without = (words: readonly string[], ...gone: string[]): string[] => words.filter((word) => !gone.includes(word));

interface Mutant {
  readonly name: string;
  readonly provider: NamespaceProviderOptions;
  /** The area of attacks that are run; all of them would do things to the machine that a mutant lets through. */
  readonly names: RegExp;
  readonly finding: RegExp;
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'no network namespace',
    provider: {
      arguments: change({
        buildHolder: (options) =>
          bubblewrapArguments
            .buildHolder(options)
            .flatMap((word) =>
              word === '--unshare-all'
                ? ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
                : [word],
            ),
        buildExec: (options) => without(bubblewrapArguments.buildExec(options), '--net'),
      }),
    },
    names: /loopback|abstract socket of the host|interface besides/,
    finding: /port was connected to/,
  },
  {
    name: 'a shared temporary folder',
    provider: {
      arguments: change({
        buildHolder: (options) =>
          bubblewrapArguments
            .buildHolder(options)
            .flatMap((word) => (word === '--die-with-parent' ? [word, '--bind', '/tmp', '/shared'] : [word])),
        buildExec: (options) =>
          bubblewrapArguments.buildExec(options).map((word) => (word === '/disk/tmp' ? '/shared' : word)),
      }),
    },
    names: /canary/,
    finding: /canary/,
  },
  {
    name: 'root as the user',
    provider: {
      uid: 0,
      arguments: change({
        // For root bubblewrap covers parts of /proc, and then the kernel lets nobody mount it again inside.
        buildExec: (options) =>
          bubblewrapArguments
            .buildExec(options)
            .map((word) => (word === '--proc' ? '--bind' : word))
            .flatMap((word, index, words) =>
              word === '/proc' && words[index - 1] === '--bind' ? ['/proc', '/proc'] : [word],
            ),
      }),
    },
    names: /be root|users|set-user-id program to work|group of the host/,
    finding: /be root/,
  },
  {
    name: 'no filter of system calls',
    provider: {
      arguments: change({
        buildExec: ({ seccompDescriptor: _gone, ...options }) => bubblewrapArguments.buildExec(options),
      }),
    },
    names: /no filter|io_uring|user namespace|hypervisor/,
    finding: /no filter/,
  },
  {
    name: 'the host’s /etc',
    provider: {
      arguments: change({
        buildHolder: (options) =>
          bubblewrapArguments
            .buildHolder(options)
            .flatMap((word) => (word === '--die-with-parent' ? [word, '--ro-bind', '/etc', '/host'] : [word])),
        buildExec: (options) => [
          ...bubblewrapArguments.buildExec(options).slice(0, -1),
          '--ro-bind',
          '/host',
          '/etc',
          '--',
        ],
      }),
    },
    names: /users of the host|shadow/,
    finding: /users of the host/,
  },
];

/** Sandboxes with one wall taken out: the attacks must get through, or they show nothing. */
export const mutantShow: Show = {
  name: 'mutants',
  title: 'sandboxes with one wall taken out are found out by the attacks, and the sandbox itself is not',
  async run(context) {
    for (const mutant of MUTANTS) {
      const canaries = await openCanaries(await context.scratch());
      context.defer(() => canaries.close());
      const chosen = attacks.filter((attack) => mutant.names.test(attack.name));
      const run = async (options: NamespaceProviderOptions): Promise<string[]> => {
        const provider = createNamespaceProvider(options);
        context.defer(() => provider.close());
        return runAttacks({ provider, attacks: chosen, canaries, owner: 'chaos-sandbox', log: () => undefined });
      };
      const control = await run({});
      const found = await run(mutant.provider).catch((error: unknown) => [`it threw ${String(error)}`]);
      const finding = found.find((each) => mutant.finding.test(each) && !each.startsWith('it threw'));
      context.report({
        name: `mutant ${mutant.name}`,
        figure: `${finding === undefined ? `not caught (${found.join('; ')})` : `caught (${finding})`}; the sandbox itself: ${control.length} findings`,
        bar: 'caught; the sandbox itself: 0 findings',
        ok: finding !== undefined && control.length === 0,
      });
    }
  },
};
