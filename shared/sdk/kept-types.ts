// The type of what a step returns, by the type of what its function returned.

/** What JSON has no form for, so that a step that returns it fails. */
type Unkept =
  | ((...given: never[]) => unknown)
  | (abstract new (
      ...given: never[]
    ) => unknown)
  | symbol
  | bigint
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<object, unknown>
  | WeakSet<object>
  | Promise<unknown>
  | RegExp
  | Response
  | Request
  | Headers
  | ReadableStream
  | ArrayBuffer
  | Uint8Array
  | DataView

type Numbers = Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint16Array | Uint32Array

/** What a toJSON returns is not asked again if it is the same once more. */
type Again<Json, T> = 0 extends 1 & Json ? Json : [Json] extends [T] ? Fields<T> : Kept<Json>

/**
 * A value as every attempt gets it: its data and the values of its getters. Methods are gone, a `Date` is a text, whatever has
 * `toJSON` is what that returns, lists of numbers are arrays, and an Error is its name and its message.
 */
export type Kept<T> = 0 extends 1 & T
  ? T
  : unknown extends T
    ? T
    : // biome-ignore lint/suspicious/noConfusingVoidType: a step may return nothing
      T extends string | number | boolean | null | undefined | void
      ? T
      : T extends Unkept
        ? never
        : T extends { lc_serializable: boolean }
          ? Fields<T>
          : // biome-ignore lint/suspicious/noExplicitAny: the parameters of toJSON differ
            T extends { toJSON(...given: any[]): infer Json }
            ? Again<Json, T>
            : T extends Numbers
              ? number[]
              : T extends readonly unknown[]
                ? { [Index in keyof T]: Kept<T[Index]> }
                : T extends Error
                  ? { name: string; message: string; code?: string | number }
                  : T extends object
                    ? Fields<T>
                    : T

type Fields<T> = {
  [Name in keyof T as Name extends `lc_${string}`
    ? never
    : T[Name] extends (...given: never[]) => unknown
      ? never
      : Name]: Kept<T[Name]>
}
