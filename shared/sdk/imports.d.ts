// What an agent may import besides code: these files are text, in a deploy and in its tests (text-files.ts).

declare module '*.md' {
  const text: string
  export default text
}
declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.yaml' {
  const text: string
  export default text
}
declare module '*.yml' {
  const text: string
  export default text
}
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.prompt' {
  const text: string
  export default text
}
declare module '*.jinja' {
  const text: string
  export default text
}
declare module '*.j2' {
  const text: string
  export default text
}
declare module '*.html' {
  const text: string
  export default text
}
declare module '*.csv' {
  const text: string
  export default text
}
declare module '*.xml' {
  const text: string
  export default text
}
declare module '*.tmpl' {
  const text: string
  export default text
}
declare module '*.hbs' {
  const text: string
  export default text
}
declare module '*.mustache' {
  const text: string
  export default text
}
declare module '*.liquid' {
  const text: string
  export default text
}
