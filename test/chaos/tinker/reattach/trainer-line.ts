/** What the training program tells who watches it. */
export type TrainerLine =
  /** A job of the program before it, whose result it has read. */
  | { readonly kind: 'collected'; readonly seqId: number }
  /** It goes on with this number. */
  | { readonly kind: 'started'; readonly seqId: number }
  | { readonly kind: 'done'; readonly seqId: number }
  | { readonly kind: 'finished' };
