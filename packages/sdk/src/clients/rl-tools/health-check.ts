import type { ControlHealth } from '@lachesis/protocol';
import { ClientError } from '../client-error.ts';
import type { ControlClient } from '../control.ts';

/** How the control server is, and what it needs for a run. */
export interface RlHealth {
  /** `away` is one that does not answer, or is another server. */
  server: ControlHealth['status'] | 'away';
  /** `unknown` where the server does not tell. */
  engine: NonNullable<ControlHealth['engine']> | 'unknown';
  inference: NonNullable<ControlHealth['inference']> | 'unknown';
  version: string | null;
  /** What is wrong and what to do; absent when all is well. */
  message?: string;
}

/** Whether the control server answers, with which version, and whether engine and inference do. Never rejects. */
export async function rlHealthCheck({ client }: { client: ControlClient }): Promise<RlHealth> {
  try {
    const { status, engine = 'unknown', inference = 'unknown', version = null } = await client.health();
    const message = adviseOn({ server: status, engine, inference });
    return { server: status, engine, inference, version, ...(message === undefined ? {} : { message }) };
  } catch (error) {
    const reason = ClientError.isInstance(error)
      ? error.reason
      : error instanceof Error
        ? error.message
        : String(error);
    return {
      ...{ server: 'away', engine: 'unknown', inference: 'unknown', version: null },
      message: `No control server answers at ${client.url}: ${reason} \`lachesis up\` starts one.`,
    };
  }
}

function adviseOn({
  server,
  engine,
  inference,
}: Pick<RlHealth, 'server' | 'engine' | 'inference'>): string | undefined {
  const wrong = [
    ...(server === 'impaired' ? ['The database of the control server does not answer.'] : []),
    ...(engine === 'away' ? ['The engine does not answer: look at `lachesis engine status`.'] : []),
    ...(engine === 'none' ? ['There is no engine to train on: `lachesis engine up` starts one on this machine.'] : []),
    ...(inference === 'away' ? ['The gateway does not answer: look at what `lachesis up` says.'] : []),
  ];
  return wrong.length === 0 ? undefined : wrong.join(' ');
}
