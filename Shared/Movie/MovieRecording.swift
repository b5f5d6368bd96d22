/// A file that is written while it is recorded, front to back without going back: `ftyp`, then one `mdat` for each group of samples, whose
/// size is known when it is written, and `moov` at the end.
///
/// A group may be a single sample. All bytes that were written are known from the samples: whoever keeps their list can, after a crash, cut
/// the file to ``length`` and finish it with ``movieBox(video:sound:createdAt:quickTimeCreationDate:quickTimeModel:)``.
public struct MovieRecording: Sendable, Equatable {
    /// A sample that came out of an encoder.
    public struct Sample: Sendable, Equatable {
        public let track: MovieSampleIndex.Track
        /// Bytes, at least 1.
        public let size: Int
        /// Ticks of its track, from 0, ascending within the track.
        public let decodeTime: Int64
        /// Ticks of its track.
        public let presentationTime: Int64
        /// How long it is decoded, which counts for the last one only: of the others it is the time until the next.
        public let duration: UInt32
        public let isSync: Bool

        public init(
            track: MovieSampleIndex.Track, size: Int, decodeTime: Int64, presentationTime: Int64, duration: UInt32, isSync: Bool
        ) {
            self.track = track
            self.size = size
            self.decodeTime = decodeTime
            self.presentationTime = presentationTime
            self.duration = duration
            self.isSync = isSync
        }
    }

    /// A sample and where its bytes are.
    public struct Placed: Sendable, Equatable {
        public let sample: Sample
        public let offset: Int64

        public init(sample: Sample, offset: Int64) {
            self.sample = sample
            self.offset = offset
        }
    }

    public let brand: MovieBrand
    /// Bytes written so far: headers, and the samples of all groups.
    public private(set) var length: Int64
    /// As they lie in the file.
    public private(set) var samples: [Placed]

    /// A recording that has nothing yet; ``head`` is written first.
    public init(brand: MovieBrand) {
        self.init(resuming: [], brand: brand)
    }

    /// A recording of which these samples are on disk, in the order of the file.
    public init(resuming samples: [Placed], brand: MovieBrand) {
        self.brand = brand
        self.samples = samples
        length = samples.last.map { $0.offset + Int64($0.sample.size) } ?? Int64(brand.fileType.count)
    }

    /// What the file begins with.
    public var head: [UInt8] { brand.fileType }

    /// Adds a group of samples.
    /// - Returns: the header of their `mdat`, to be written before their bytes.
    public mutating func append(_ group: [Sample]) -> [UInt8] {
        let payload = group.reduce(0) { $0 + $1.size }
        var header = BoxWriter()
        header.u32(UInt32(clamping: payload + 8))
        header.code("mdat")
        length += Int64(header.bytes.count)
        for sample in group {
            samples.append(Placed(sample: sample, offset: length))
            length += Int64(sample.size)
        }
        return header.bytes
    }

    /// How many samples of a track there are.
    public func count(_ track: MovieSampleIndex.Track) -> Int { samples.count { $0.sample.track == track } }
}
