import CaptureProtocol
import Imaging
import Logging
import Models
import ObjectStorage

/// How large pictures are, measured once from bytes that are what was accepted, and remembered by digest.
actor PictureSizes {
    /// Headers with EXIF and colour profile are smaller than this.
    static let headBytes: Int64 = 128 * 1024
    static let remembered = 10_000

    /// First bytes of an object, at most as many as asked for, once the whole of it was compared.
    typealias Reader = @Sendable (_ object: StoredMedia, _ bytes: Int64) async throws -> [UInt8]

    private let read: Reader
    private let timeout: Duration
    private let pause: Duration
    private let logger: Logger
    /// `nil` for what is no picture that can be measured.
    private var known: [ContentDigest: PixelSize?] = [:]
    private var restsUntil = ContinuousClock.now

    /// - Parameters:
    ///   - timeout: how long a page waits for the store.
    ///   - pause: how long nothing is read after a failure, so that pages do not wait one after the other.
    init(logger: Logger, timeout: Duration = .seconds(1), pause: Duration = .seconds(5), read: @escaping Reader) {
        self.logger = logger
        self.timeout = timeout
        self.pause = pause
        self.read = read
    }

    init(storage: S3Client, logger: Logger) {
        self.init(logger: logger) { object, bytes in
            var head: [UInt8] = []
            // To its end, although the head is all that is kept: only then is it known for what was accepted.
            for try await chunk in try await storage.stream(object) {
                head.append(contentsOf: chunk.readableBytesView.prefix(max(0, Int(bytes) - head.count)))
            }
            return head
        }
    }

    /// The sizes of several objects by name: see ``size(of:)``.
    func sizes(of objects: [MediaName: StoredMedia]) async -> [MediaName: PixelSize] {
        var sizes: [MediaName: PixelSize] = [:]
        for (name, object) in objects { sizes[name] = await size(of: object) }
        return sizes
    }

    /// Upright; `nil` for what is no JPEG or PNG, or cannot be read at the moment.
    func size(of object: StoredMedia) async -> PixelSize? {
        if let size = known[object.sha256] { return size }
        guard object.sizeBytes > 0, ContinuousClock.now >= restsUntil else { return nil }
        do {
            let size = Self.measure(try await head(of: object))
            if known.count >= Self.remembered { known.removeAll() }
            known.updateValue(size, forKey: object.sha256)
            return size
        } catch {
            restsUntil = .now + pause
            logger.warning("a picture could not be measured", metadata: ["key": "\(object.key)", "error": "\(error)"])
            return nil
        }
    }

    /// - Throws: `CancellationError` when timeout is over.
    private func head(of object: StoredMedia) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { [read, timeout] group in
            group.addTask { try await read(object, min(object.sizeBytes, Self.headBytes)) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    static func measure(_ head: [UInt8]) -> PixelSize? {
        // PNG (third edition) §5.2, §11.2.1: signature, then IHDR with width and height.
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            guard head.count >= 24, Array(head[12..<16]) == Array("IHDR".utf8) else { return nil }
            return PixelSize(number(head[16..<20]), number(head[20..<24]))
        }
        guard let fields = EXIFReader.read(jpeg: head), let width = fields.pixelWidth, let height = fields.pixelHeight else { return nil }
        let size = EXIFReader.upright((width, height), orientation: fields.orientation)
        return PixelSize(size.width, size.height)
    }

    /// Big-endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
