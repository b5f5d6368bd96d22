import CaptureProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Compressed pages")
struct CompressedPagesTests {
    private func form(_ pages: CompressedPages, of page: [UInt8]) -> [UInt8]? {
        pages.form(of: page, digest: ContentDigest(of: page))
    }

    /// Text that gzip makes smaller, but not to nothing.
    private func page(_ number: Int) -> [UInt8] {
        Array((0..<400).map { "<p>\(number &* 7919 &+ $0 &* $0)</p>" }.joined().utf8)
    }

    @Test("a page is compressed once, and each page has its own form")
    func compressedOnce() throws {
        let pages = CompressedPages()
        for _ in 1...2 {
            for number in 0..<3 {
                let bytes = try #require(form(pages, of: page(number)))
                #expect(inflated(bytes, limit: 20_000) == page(number))
            }
        }
        #expect(pages.byteCount == (0..<3).compactMap { ContentCoding.gzip(page($0))?.count }.reduce(0, +))
    }

    @Test("what is not worth compressing has no form and is not kept")
    func short() {
        let pages = CompressedPages()
        #expect(form(pages, of: Array("<p>short</p>".utf8)) == nil)
        #expect(pages.byteCount == 0)
    }

    @Test("the oldest forms make room, and their pages are compressed again")
    func bounded() throws {
        let size = try #require(ContentCoding.gzip(page(0))?.count)
        let pages = CompressedPages(maximumBytes: size * 3)
        for number in 0..<50 {
            #expect(form(pages, of: page(number)) != nil)
            #expect(pages.byteCount <= size * 3)
        }
        #expect(inflated(try #require(form(pages, of: page(0))), limit: 20_000) == page(0))
        #expect(form(CompressedPages(maximumBytes: 10), of: page(1)) != nil, "larger than all that is kept")
    }
}
