// How a text is shown: rendered, as it reads, or as JSON. Guarantee: the choice stands in the page's link, so it needs no script.

export const VIEWS = ['markdown', 'text', 'json'] as const
export type View = (typeof VIEWS)[number]

export interface Viewing {
  /** Undefined, or one that does not apply, is the first that does. */
  view: View | undefined
  /** The page with another one. */
  link(view: View): string
}

const NAMES: Record<View, string> = { markdown: 'Markdown', text: 'Text', json: 'JSON' }

interface ViewLinksProps {
  of: readonly View[]
  shown: View
  link: Viewing['link']
}

export const ViewLinks = ({ of, shown, link }: ViewLinksProps) => (
  <>
    {of.length > 1 &&
      of.map(view => (
        <>
          {' · '}
          {view === shown ? <b>{NAMES[view]}</b> : <a href={link(view)}>{NAMES[view]}</a>}
        </>
      ))}
  </>
)
