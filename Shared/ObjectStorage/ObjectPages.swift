/// The objects with a key prefix, in order, a page at a time. A page is asked for when the caller is done with the one before.
public struct ObjectPages: AsyncSequence, Sendable {
    private let list: @Sendable (_ continuation: String?) async throws -> ObjectPage

    /// - Parameter list: asks for the page after the one with this continuation; `nil` for the first.
    public init(list: @escaping @Sendable (_ continuation: String?) async throws -> ObjectPage) { self.list = list }

    public func makeAsyncIterator() -> Iterator { Iterator(list: list) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let list: @Sendable (_ continuation: String?) async throws -> ObjectPage
        private var continuation: String?
        private var isLast = false

        fileprivate init(list: @escaping @Sendable (_ continuation: String?) async throws -> ObjectPage) { self.list = list }

        /// - Throws: what listing the page throws.
        public mutating func next() async throws -> [StoredObject]? {
            guard !isLast else { return nil }
            let page = try await list(continuation)
            continuation = page.continuation
            isLast = continuation == nil
            return page.objects
        }
    }
}

extension ObjectStore {
    /// Lists all objects with the key prefix, in order, in pages of at most 1,000.
    public func pages(under prefix: String) -> ObjectPages {
        ObjectPages { try await self.list(prefix: prefix, continuation: $0) }
    }
}
