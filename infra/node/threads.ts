// Sets the size of the thread pool next to the event loop. Guarantee: name look-ups use LIMITS.name_lookups threads,
// half of the pool by libuv's rule, and leave the other half to password hashes and files. Import it before anything
// else: the number is read once.
//
// The default is four threads, two of them for name look-ups: two names of one caller whose name server was silent kept
// all other look-ups waiting for 10 s.

process.env.UV_THREADPOOL_SIZE ??= '16'
