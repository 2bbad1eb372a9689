import { Component, type FunctionComponent, h } from 'preact'

/** Renders a component again only when one of its properties is another value. */
export function memo<Props extends object>(component: FunctionComponent<Props>): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props) {
      const keys = Object.keys(next) as (keyof Props)[]
      return keys.some((key) => next[key] !== this.props[key])
    }
    override render() {
      return h(component, this.props)
    }
  }
  return Memo as unknown as FunctionComponent<Props>
}
