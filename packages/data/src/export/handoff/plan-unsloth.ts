import { READ_ROWS_PY } from './python-rows.ts';
import type { HandoffInput, HandoffPlan } from './recipe.ts';

/** A script of Unsloth, which trains with TRL's trainers over its own kernels. */
export function planUnsloth({ recipe, kind, splits }: HandoffInput): HandoffPlan {
  const isConversation = kind === 'conversation';
  const hasTest = 'test' in splits;
  const columns = isConversation ? ['messages'] : ['prompt', 'chosen', 'rejected'];
  const files = `train="data/train.parquet"${hasTest ? ', test="data/test.parquet"' : ''}`;
  const text = `import json

from unsloth import FastLanguageModel${isConversation ? '\nfrom unsloth.chat_templates import train_on_responses_only' : ''}
from trl import ${isConversation ? 'SFTConfig, SFTTrainer' : 'DPOConfig, DPOTrainer'}

from read_rows import load

MODEL = ${JSON.stringify(recipe.baseModel)}

model, tokenizer = FastLanguageModel.from_pretrained(MODEL, max_seq_length=${recipe.sequenceLength}, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(
    model,
    r=${recipe.loraRank},
    lora_alpha=${recipe.loraAlpha},
    lora_dropout=0,
    target_modules=${JSON.stringify(recipe.targetModules)},
    use_gradient_checkpointing="unsloth",
)

${isConversation ? CONVERSATION_ROWS : PREFERENCE_ROWS}
rows = load(${JSON.stringify(columns)}, ${files})
rows = rows.map(to_text, remove_columns=rows["train"].column_names)

trainer = ${isConversation ? 'SFTTrainer' : 'DPOTrainer'}(
    model=model,
    processing_class=tokenizer,
    train_dataset=rows["train"],
${hasTest ? '    eval_dataset=rows["test"],\n' : ''}    args=${isConversation ? 'SFTConfig' : 'DPOConfig'}(
        output_dir="output",
        max_length=${recipe.sequenceLength},
        per_device_train_batch_size=${recipe.microBatchSize},
        gradient_accumulation_steps=${recipe.gradientAccumulation},
        num_train_epochs=${recipe.epochs},
        learning_rate=${recipe.learningRate},
        optim="adamw_8bit",
        logging_steps=1,
    ),
)
${isConversation ? RESPONSES_ONLY : ''}trainer.train()
model.save_pretrained("output")
tokenizer.save_pretrained("output")
`;
  return {
    files: [
      { path: 'train.py', text },
      { path: 'read_rows.py', text: READ_ROWS_PY },
    ],
    commands: ['pip install unsloth', 'python train.py'],
  };
}

const CONVERSATION_ROWS = `
def to_text(row):
    tools = json.loads(row["tools"]) if row["tools"] else None
    return {"text": tokenizer.apply_chat_template(row["messages"], tools=tools, tokenize=False)}

`;

const PREFERENCE_ROWS = `
def to_text(row):
    tools = json.loads(row["tools"]) if row["tools"] else None
    def render(messages, **options):
        return tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, **options)
    prompt = render(row["prompt"], add_generation_prompt=True)
    sides = {side: render(row["prompt"] + row[side]) for side in ("chosen", "rejected")}
    # Some templates write the end of the prompt otherwise once a reply follows; what they share is the prompt.
    shared = 0
    while all(shared < len(text) and text[shared] == prompt[shared : shared + 1] for text in sides.values()):
        shared += 1
    return {"prompt": prompt[:shared], **{side: text[shared:] for side, text in sides.items()}}

`;

// The marks of ChatML, which Qwen and many others speak.
const RESPONSES_ONLY = `# Replies are trained, what people and tools said is not. These are the marks of ChatML (Qwen); Llama 3 has others.
trainer = train_on_responses_only(
    trainer, instruction_part="<|im_start|>user\\n", response_part="<|im_start|>assistant\\n"
)
`;
