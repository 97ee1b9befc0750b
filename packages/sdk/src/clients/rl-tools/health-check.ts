import type { ControlClient } from '../control.ts';

/** Whether the control server answers. Never rejects. */
export async function rlHealthCheck({ client }: { client: ControlClient }): Promise<boolean> {
  return client.health().then(
    () => true,
    () => false,
  );
}
