import { READ_ROWS_PY } from './python-rows.ts';
import type { HandoffInput, HandoffPlan } from './recipe.ts';

/** A script of TRL: supervised fine-tuning of conversations, DPO of pairs. */
export function planTrl({ recipe, kind, splits }: HandoffInput): HandoffPlan {
  const [trainer, config] = kind === 'conversation' ? ['SFTTrainer', 'SFTConfig'] : ['DPOTrainer', 'DPOConfig'];
  const columns = kind === 'conversation' ? ['messages'] : ['prompt', 'chosen', 'rejected'];
  const hasTest = 'test' in splits;
  const files = `train="data/train.parquet"${hasTest ? ', test="data/test.parquet"' : ''}`;
  const text = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import ${config}, ${trainer}

from read_rows import load

MODEL = ${JSON.stringify(recipe.baseModel)}

rows = load(${JSON.stringify(columns)}, ${files})

model = AutoModelForCausalLM.from_pretrained(
    MODEL,
    dtype=torch.bfloat16,
    quantization_config=BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    ),
)
trainer = ${trainer}(
    model=model,
    train_dataset=rows["train"],
${hasTest ? '    eval_dataset=rows["test"],\n' : ''}    peft_config=LoraConfig(
        r=${recipe.loraRank},
        lora_alpha=${recipe.loraAlpha},
        target_modules=${JSON.stringify(recipe.targetModules)},
        task_type="CAUSAL_LM",
    ),
    args=${config}(
        output_dir="output",
        max_length=${recipe.sequenceLength},
        per_device_train_batch_size=${recipe.microBatchSize},
        gradient_accumulation_steps=${recipe.gradientAccumulation},
        num_train_epochs=${recipe.epochs},
        learning_rate=${recipe.learningRate},
        bf16=True,
        logging_steps=1,
${kind === 'conversation' ? '        # Replies are trained, what people and tools said is not.\n        assistant_only_loss=True,\n' : ''}    ),
)
trainer.train()
trainer.save_model("output")
`;
  return {
    files: [
      { path: 'train.py', text },
      { path: 'read_rows.py', text: READ_ROWS_PY },
    ],
    commands: ['pip install trl peft bitsandbytes', 'python train.py'],
  };
}
