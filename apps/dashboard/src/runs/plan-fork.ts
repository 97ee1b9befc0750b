import type { ConfigEdit, ControlConfig, RunSettings } from '@lachesis/protocol';

/** What has to be changed in the form so that the next run has the settings of another one. Locked fields stay as the recipe has them. */
export function planFork(config: ControlConfig, { settings }: RunSettings): ConfigEdit[] {
  // Settings are named with their section, fields of the form are not.
  const values = new Map(settings.map(({ name, value }) => [name.slice(name.indexOf('.') + 1), value]));
  return config.configurable_fields.flatMap(({ name, current_value: current, default: usual }) => {
    // Two runs of one name would be one curve there.
    if (name === 'wandb_name') return [];
    const value = values.get(name) ?? usual ?? null;
    return JSON.stringify(value) === JSON.stringify(current ?? null) ? [] : [{ field: name, value: value as never }];
  });
}

/** Why nothing of a run can be filled into the form, as a sentence; undefined when it can. */
export function sayNoFork({
  run,
  environment,
  known,
}: {
  run: string;
  environment: string | undefined;
  known: readonly string[];
}): string | undefined {
  if (environment === undefined || known.includes(environment)) return undefined;
  return `Run ${run} was in ${environment}, which this server does not know: nothing of it was filled in. Start the server where that environment is, or choose another one.`;
}
