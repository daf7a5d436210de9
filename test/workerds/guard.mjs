// What a worker may not do before a request: some versions of workerd refuse a part of it, and time reads as 1970 then.

let isLoading = true
/** Ends the guard, once all modules are loaded. */
export const loaded = () => {
  isLoading = false
}

function guard(of, name, allows = () => false) {
  if (of[name] === undefined) return // setImmediate, without nodejs_compat
  const check = given => {
    if (isLoading && !allows(given)) throw new Error(`${name} at module level`)
  }
  of[name] = new Proxy(of[name], {
    apply(target, self, given) {
      check(given)
      return Reflect.apply(target, self, given)
    },
    construct(target, given, as) {
      check(given)
      return Reflect.construct(target, given, as)
    },
  })
}

for (const name of ['fetch', 'setTimeout', 'setInterval', 'setImmediate']) guard(globalThis, name)
for (const name of ['AbortController', 'ReadableStream', 'WritableStream', 'TransformStream'])
  guard(globalThis, name)
guard(globalThis, 'Date', given => given.length > 0)
guard(Date, 'now')
guard(performance, 'now')
guard(Math, 'random')
for (const name of ['abort', 'any', 'timeout']) guard(AbortSignal, name)
for (const name of ['getRandomValues', 'randomUUID']) guard(crypto, name)
for (const name of ['digest', 'importKey', 'sign', 'generateKey']) guard(crypto.subtle, name)
