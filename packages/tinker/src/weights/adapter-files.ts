/** The two files that PEFT loads an adapter from. */
export const ADAPTER_FILES = Object.freeze({ tensors: 'adapter_model.safetensors', config: 'adapter_config.json' });

/** A config is some hundred bytes; it is read into memory. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** Whether a path in an archive or listing ends in one of the two. */
export const isAdapterFile = (file: string): boolean => (Object.values(ADAPTER_FILES) as string[]).includes(file);
