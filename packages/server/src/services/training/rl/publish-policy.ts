import type { TrainerDeps } from './deps.ts';

/** Serves weights as a policy version, and notes that they are. Who dies in between publishes them again, under the next version. */
export async function publishPolicy(
  { publisher, recordPolicy, retention, status }: TrainerDeps,
  policy: { version: number; step: number; weightsPath: string | null; baseModel: string },
  signal: AbortSignal,
): Promise<void> {
  const { version, step, weightsPath, baseModel } = policy;
  await publisher.publish({ model_path: weightsPath, policy_version: version, step, base_model: baseModel }, signal);
  await recordPolicy({ version, step, weightsPath });
  status.policy_version = version;
  status.weights_path = weightsPath ?? status.weights_path;
  await retention.published({ step, path: weightsPath });
}
