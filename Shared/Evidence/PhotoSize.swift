/// Width and height in pixels, in either orientation.
struct PhotoSize: Sendable, Hashable {
    let long: Int
    let short: Int

    init(_ first: Int, _ second: Int) {
        long = max(first, second)
        short = min(first, second)
    }
}
