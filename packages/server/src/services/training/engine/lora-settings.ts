import type { TinkerService } from '@lachesis/tinker';

/** What is asked of the LoRA matrices. What is undefined or null is as the server has it, or as a saved state has it. */
export interface LoraSettings {
  rank?: number | undefined;
  alpha?: number | null | undefined;
  trainMlp?: boolean | null | undefined;
  trainAttention?: boolean | null | undefined;
  trainUnembed?: boolean | null | undefined;
}

/** Layers by the name of the setting, which is that of the wire too. */
const LAYERS = { train_mlp: 'trainMlp', train_attn: 'trainAttention', train_unembed: 'trainUnembed' } as const;

/** Why a server would not do what is asked, with the name of the setting; undefined when it would. */
export function findIgnoredSetting(
  { droppedKnobs, name }: Pick<TinkerService['profile'], 'droppedKnobs' | 'name'>,
  lora: LoraSettings,
): string | undefined {
  const dropped = droppedKnobs['create_model'] ?? {};
  if (typeof lora.alpha === 'number') {
    const reason = dropped['alpha'] ?? 'its API has no field for it';
    return `lora_alpha is ${lora.alpha}, and the engine (${name}) takes none: ${reason}. Leave lora_alpha out.`;
  }
  for (const [setting, field] of Object.entries(LAYERS)) {
    const reason = dropped[setting];
    if (typeof lora[field] !== 'boolean' || reason === undefined) continue;
    return `${setting} is ${lora[field]}, and the engine (${name}) takes none: ${reason}. Leave ${setting} out.`;
  }
  return undefined;
}

/** How what is asked contradicts a saved state, by what the server says of it; undefined when it does not. */
export function findContradiction(
  state: { path: string; info: Readonly<Record<string, unknown>> },
  lora: LoraSettings,
): string | undefined {
  const { path, info } = state;
  const rank = info['lora_rank'];
  if (typeof rank === 'number' && lora.rank !== undefined && lora.rank !== rank) {
    return `lora_rank is ${lora.rank}, and the state ${path} has rank ${rank}. Set lora_rank to ${rank}, or begin with another state.`;
  }
  for (const [setting, field] of Object.entries(LAYERS)) {
    const [asked, has] = [lora[field], info[setting]];
    if (typeof asked !== 'boolean' || typeof has !== 'boolean' || asked === has) continue;
    return `${setting} is ${asked}, and the state ${path} was made with ${setting} ${has}. Leave it out, or begin with another state.`;
  }
  return undefined;
}
