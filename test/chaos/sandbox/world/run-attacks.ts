import type { Sandbox, SandboxProvider } from '@lachesis/sdk/sandbox';

import type { Attack } from '../cases/attack.ts';
import type { Canaries } from './open-canaries.ts';

export interface RunAttacksOptions {
  readonly provider: SandboxProvider;
  readonly attacks: readonly Attack[];
  readonly canaries: Canaries;
  readonly owner: string;
  readonly log: (text: string) => void;
}

const LANES = 3;
const BROKEN = /SyntaxError|NameError|TypeError|ArgumentError|AttributeError|[Ss]yntax error|ModuleNotFound/;
const NEIGHBOUR = `echo "$SECRET" > neighbour; echo "$SECRET" > /tmp/neighbour; echo "$SECRET" > /dev/shm/neighbour
python3 -c "
import ctypes, socket, subprocess
ctypes.CDLL(None).shmget(4242, 4096, 0o1666)
t = socket.socket(); t.bind(('127.0.0.1', 4242)); t.listen()
u = socket.socket(socket.AF_UNIX); u.bind('\\\\0neighbour'); u.listen()
print('up', flush=True); subprocess.run(['sleep', '4242'])"`;

/** Runs attacks beside a sandbox that has something to take; answers those that succeeded, with what they reached. */
export async function runAttacks({ provider, attacks, canaries, owner, log }: RunAttacksOptions): Promise<string[]> {
  const escapes: string[] = [];
  const limits = { wallMs: 20_000, cpuSeconds: 20 };
  const neighbour = await provider.create({ owner, limits: { wallMs: 120_000 } });
  const end = new AbortController();
  const up = Promise.withResolvers<void>();
  const resident = neighbour.exec(NEIGHBOUR, {
    env: { SECRET: canaries.secret },
    signal: end.signal,
    onOutput: () => up.resolve(),
  });
  await Promise.race([up.promise, resident]);
  const queue = [...attacks];
  const attackNext = async (sandbox: Sandbox): Promise<void> => {
    for (let attack = queue.shift(); attack !== undefined; attack = queue.shift()) {
      const result = await sandbox.exec(attack.script, { env: canaries.env, outputBytes: 100_000 });
      const isSuccess = result.output.includes('ESCAPED') || result.output.includes(canaries.secret);
      if (isSuccess) escapes.push(`${attack.area}: ${attack.name}`);
      if (isSuccess) log(`${attack.name}: ${result.output.slice(0, 200)}`);
      // One that never ran, or not as it was meant, shows nothing.
      if (BROKEN.test(result.output))
        escapes.push(`${attack.area}: ${attack.name} (broken: ${result.output.slice(-200)})`);
      if (result.end !== 'exited') escapes.push(`${attack.area}: ${attack.name} (ended by ${result.end})`);
    }
  };
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const sandbox = await provider.create({ owner, limits });
      await attackNext(sandbox);
      await sandbox.destroy();
    }),
  );
  escapes.push(...(await canaries.findTouched()));
  end.abort();
  await resident;
  await neighbour.destroy();
  return escapes;
}
