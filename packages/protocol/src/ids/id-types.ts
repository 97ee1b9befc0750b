declare const brand: unique symbol;

/** Text that names one kind of thing and cannot be handed over as another. */
type Id<Name extends string> = string & { readonly [brand]: Name };

/** The id of a run; a plain string does not pass for one. */
export type RunId = Id<'run'>;
