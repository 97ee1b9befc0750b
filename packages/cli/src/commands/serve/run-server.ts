import { SettingError, type SocketSupervisor } from '@lachesis/server';
import { nameAsTyped } from '../../flags/setting-flags.ts';
import { fail, refuse } from '../../terminal/fail.ts';
import { exitWithParent } from '../../terminal/exit-with-parent.ts';

export interface RunServerOptions {
  /** How the restart line calls it. */
  name: string;
  settings: { host: string; port: number };
  start(onRestart: (death: { code: number | null; signal: string | null }) => void): Promise<SocketSupervisor>;
  /** Told once it answers. */
  onReady(url: string): void;
}

/** Starts a station, says where it is, ends it on Ctrl-C, and returns when it has ended. */
export async function runServer({ name, settings, start, onReady }: RunServerOptions): Promise<void> {
  const explain = (error: unknown): never =>
    error instanceof SettingError ? refuse(nameAsTyped(error.message)) : fail(describeStart(error, settings));
  const supervisor = await start(({ code, signal }) => {
    process.stderr.write(`the ${name} process ended (${signal ?? `exit code ${code}`}); starting it again\n`);
  }).catch(explain);
  const { address, port } = supervisor.address;
  onReady(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void supervisor.stop());
  exitWithParent({ end: () => void supervisor.stop() });
  await supervisor.ended.catch(explain);
}

function describeStart(error: unknown, { host, port }: { host: string; port: number }): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with --port.`;
  }
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  if (code === 'EACCES') return `this user may not listen on port ${port}. Choose one above 1023 with --port.`;
  return message ?? String(error);
}
