"""Stand-in for transformers: one tokenizer, one id per UTF-8 byte, with ChatML turns.

Importing the real library costs seconds and hundreds of megabytes; the peers only need ids that go in and text that
comes out again. A chat template gives a plain list of ids, as transformers 4 did: that is what atroposlib 0.4.0 expects.
"""

import re

__version__ = "4.0.0+lachesis.stand.in"

SPECIAL_IDS = {"<|im_start|>": 256, "<|im_end|>": 257, "<|pad|>": 258}
SPECIAL_TEXTS = {token_id: text for text, token_id in SPECIAL_IDS.items()}
SPECIAL_PATTERN = re.compile("(" + "|".join(re.escape(text) for text in SPECIAL_IDS) + ")")


class PreTrainedTokenizer:
    name_or_path = "byte"
    bos_token = None
    bos_token_id = None
    eos_token = "<|im_end|>"
    eos_token_id = SPECIAL_IDS["<|im_end|>"]
    pad_token = "<|pad|>"
    pad_token_id = SPECIAL_IDS["<|pad|>"]
    chat_template = "chatml"

    @classmethod
    def from_pretrained(cls, _name, **_ignored):
        return cls()

    def __len__(self):
        return 256 + len(SPECIAL_IDS)

    def __call__(self, text, **_ignored):
        return {"input_ids": self.encode(text)}

    def encode(self, text, add_special_tokens=True):
        ids = []
        for part in SPECIAL_PATTERN.split(text):
            ids.extend([SPECIAL_IDS[part]] if part in SPECIAL_IDS else part.encode("utf-8"))
        return ids

    def decode(self, ids, skip_special_tokens=False, **_ignored):
        ids = [ids] if isinstance(ids, int) else [int(token_id) for token_id in ids]
        text, pending = "", bytearray()
        for token_id in ids:
            if token_id < 256:
                pending.append(max(0, token_id))
                continue
            text += pending.decode("utf-8", "replace")
            pending.clear()
            if not skip_special_tokens:
                text += SPECIAL_TEXTS.get(token_id, "\ufffd")
        return text + pending.decode("utf-8", "replace")

    def apply_chat_template(self, messages, tokenize=True, add_generation_prompt=False, **_ignored):
        turns = [f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in messages]
        text = "".join(turns) + ("<|im_start|>assistant\n" if add_generation_prompt else "")
        return self.encode(text) if tokenize else text


PreTrainedTokenizerBase = PreTrainedTokenizerFast = AutoTokenizer = PreTrainedTokenizer


class _NoModel:
    @classmethod
    def from_pretrained(cls, *_arguments, **_ignored):
        raise NotImplementedError("the stand-in for transformers holds no models")


class AutoConfig(_NoModel):
    pass


class AutoModelForCausalLM(_NoModel):
    pass
