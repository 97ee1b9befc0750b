/** The commands by what somebody wants to do, in the order in which they are met. A test finds one that is in none. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['demo', 'init', 'up', 'ui', 'doctor', 'config', 'inference', 'help', 'completion'],
  Record: ['trajectories', 'batch', 'worker'],
  Rate: ['rate', 'feedback'],
  Data: ['data', 'compress', 'lineage'],
  Train: [
    ...['train', 'improve', 'agent', 'env', 'engine'],
    ...['runs', 'metrics', 'logs', 'rollouts', 'sweeps', 'stop', 'weights'],
  ],
  Serve: ['serve', 'chat', 'models', 'mcp', 'skills', 'token', 'audit', 'backup', 'restore', 'gc'],
};
