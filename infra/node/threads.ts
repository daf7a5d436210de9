// Threads of the runtime beside its event loop. Guarantee: look-ups of names leave half of them to hashes of passwords and to
// files, as libuv has it, and are as many as LIMITS.name_lookups says. Imported before anything else: the number is read once.
//
// Four is the runtime's own number, of which two look names up: two names of one caller whose server is silent kept all others
// waiting for 10 s.

process.env.UV_THREADPOOL_SIZE ??= '16'
