/** A file: its text, its bytes, or a stream of either. Bytes may be gzip, also several members one after the other. */
export type Source = string | Uint8Array | AsyncIterable<string | Uint8Array>;
