import { createNamespaceProvider } from '@lachesis/sdk/sandbox';
import { bubblewrapArguments } from '../../../../packages/sdk/src/sandbox/namespace/bubblewrap-arguments.ts';
import type { NamespaceProviderOptions } from '../../../../packages/sdk/src/sandbox/namespace/namespace-provider-options.ts';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { attacks } from '../cases/attacks.ts';
import { probes } from '../cases/probes.ts';
import { openCanaries } from '../world/open-canaries.ts';
import { runAttacks } from '../world/run-attacks.ts';
import { runProbes } from '../world/run-probes.ts';

const change = (changed: Partial<typeof bubblewrapArguments>): typeof bubblewrapArguments => ({
  ...bubblewrapArguments,
  ...changed,
});
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

/** What the filter was before it was a list of what is allowed: everything passes but a few calls by their numbers. */
function createDenyList(): Uint8Array {
  const denied = [101, 165, 166, 250, 272, 308, 321, 323, 425, 428];
  const instructions = [
    [0x20, 0, 0, 0],
    ...denied.flatMap((number) => [
      [0x15, 0, 1, number],
      [0x06, 0, 0, 0x0005_0001],
    ]),
    [0x06, 0, 0, 0x7fff_0000],
  ];
  const view = new DataView(new ArrayBuffer(instructions.length * 8));
  instructions.forEach(([code = 0, whenTrue = 0, whenFalse = 0, value = 0], at) => {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, whenTrue);
    view.setUint8(at * 8 + 3, whenFalse);
    view.setUint32(at * 8 + 4, value, true);
  });
  return new Uint8Array(view.buffer);
}

async function showDenyList(context: ScenarioContext): Promise<void> {
  // Those that need nothing but that the filter lets them pass.
  const chosen = probes.filter(({ wall }) => wall === 'filter');
  const run = async (options: NamespaceProviderOptions): Promise<readonly string[]> => {
    const provider = createNamespaceProvider(options);
    context.defer(() => provider.close());
    const sandbox = await provider.create({ owner: 'chaos-sandbox' });
    return (await runProbes({ sandbox, probes: chosen, env: {}, isFiltered: true })).through;
  };
  const [control, found] = [await run({}), await run({ createFilter: createDenyList })];
  context.report({
    name: 'mutant a list of denied calls',
    figure: `${found.length === 0 ? 'not caught' : `caught (${found.join(', ')})`}; the sandbox itself: ${control.length} findings`,
    bar: 'caught; the sandbox itself: 0 findings',
    ok: found.length > 0 && control.length === 0,
  });
}

/** Sandboxes with one wall taken out: the attacks must get through, or they show nothing. */
export const mutantScenario: Scenario = {
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
    if (process.arch === 'x64') await showDenyList(context);
  },
};
