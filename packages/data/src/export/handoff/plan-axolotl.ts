import type { HandoffInput, HandoffPlan } from './recipe.ts';

/** Axolotl's YAML: the type `chat_template` with the fields of our rows; `sharegpt` was taken out of Axolotl. */
export function planAxolotl({ recipe, kind, splits }: HandoffInput): HandoffPlan {
  const text = [
    `base_model: ${recipe.baseModel}`,
    'load_in_4bit: true',
    'adapter: qlora',
    `lora_r: ${recipe.loraRank}`,
    `lora_alpha: ${recipe.loraAlpha}`,
    'lora_dropout: 0.0',
    'lora_target_modules:',
    ...recipe.targetModules.map((module) => `  - ${module}`),
    '',
    ...(kind === 'preference' ? ['rl: dpo', ''] : []),
    'chat_template: tokenizer_default',
    'datasets:',
    ...describeData('train', kind),
    ...('test' in splits ? ['test_datasets:', ...describeData('test', kind)] : ['val_set_size: 0']),
    'dataset_prepared_path: ./prepared',
    'output_dir: ./output',
    '',
    `sequence_len: ${recipe.sequenceLength}`,
    `micro_batch_size: ${recipe.microBatchSize}`,
    `gradient_accumulation_steps: ${recipe.gradientAccumulation}`,
    `num_epochs: ${recipe.epochs}`,
    `learning_rate: ${formatNumber(recipe.learningRate)}`,
    'optimizer: adamw_bnb_8bit',
    'lr_scheduler: cosine',
    'warmup_ratio: 0.03',
    'bf16: auto',
    'gradient_checkpointing: true',
    'attn_implementation: flash_attention_2',
    'logging_steps: 1',
    'saves_per_epoch: 1',
    '',
  ].join('\n');
  return {
    files: [{ path: 'axolotl.yaml', text }],
    commands: [
      'pip install axolotl',
      'axolotl preprocess axolotl.yaml',
      'axolotl train axolotl.yaml',
      'axolotl merge-lora axolotl.yaml',
    ],
  };
}

function describeData(split: string, kind: HandoffInput['kind']): string[] {
  // One file of ours, not a set of the hub: without `ds_type` the path would be looked up there.
  const file = [`  - path: ./data/${split}.parquet`, '    ds_type: parquet', '    split: train'];
  const mapping = ['    message_property_mappings:', '      role: role', '      content: content'];
  if (kind === 'preference') {
    return [
      ...file,
      '    type: chat_template.default',
      '    field_messages: prompt',
      '    field_chosen: chosen',
      '    field_rejected: rejected',
      ...mapping,
    ];
  }
  return [
    ...file,
    '    type: chat_template',
    '    field_messages: messages',
    '    field_tools: tools',
    ...mapping,
    '    roles_to_train: [assistant]',
    '    train_on_eos: turn',
  ];
}

/** YAML 1.1 reads `2e-4` as text; it wants a dot. */
function formatNumber(value: number): string {
  const text = String(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}
