/// The samples of one track, from the tables of its `stbl` box (ISO/IEC 14496-12 §8.6, §8.7).
///
/// A table's count is compared with its box before anything is allocated, and the number of samples with the limit before any table is
/// expanded.
struct SampleTable {
    let samples: [MovieSample]
    /// Composition offset of sample 0 in ticks.
    let firstOffset: Int64

    /// - Parameters:
    ///   - limit: the most samples.
    ///   - name: for messages, such as "pictures".
    init(_ table: BoxList, limit: Int, of name: String) throws(MovieError) {
        let sizes = try Self.sizes(table.only("stsz"), limit: limit, of: name)
        let durations = try Self.durations(table.only("stts"), count: sizes.count)
        let compositions = try Self.offsets(table.optional("ctts"), count: sizes.count)
        let syncs = try Self.syncs(table.optional("stss"), count: sizes.count)
        let places = try Self.places(table, sizes: sizes)
        var samples: [MovieSample] = []
        samples.reserveCapacity(sizes.count)
        let firstOffset = Int64(compositions[0])
        var decodeTime: Int64 = 0
        for index in sizes.indices {
            samples.append(
                MovieSample(
                    offset: places[index], size: sizes[index], decodeTime: decodeTime, duration: durations[index],
                    time: decodeTime + Int64(compositions[index]) - firstOffset, isSync: syncs[index]))
            decodeTime += Int64(durations[index])
        }
        self.samples = samples
        self.firstOffset = firstOffset
    }

    private static func disagreement(_ name: FourCharacterCode) -> MovieError {
        MovieError(.tablesDisagree, "has a \(name) table that does not fit its samples")
    }

    private static func sizes(_ box: FieldReader, limit: Int, of name: String) throws(MovieError) -> [Int] {
        var fields = box
        _ = try fields.version(newest: 0)
        let common = try fields.u32()
        let claimed: Int
        if common == 0 {
            claimed = try fields.entryCount(size: 4)
        } else {
            claimed = Int(try fields.u32())
            guard fields.rest.isEmpty else { throw MovieError(.tableLength, "has a stsz table of another length than it claims") }
        }
        guard claimed >= 1, claimed <= limit else { throw MovieError(.sampleCount, "has no \(name), or more than \(limit)") }
        if common > 0 { return Array(repeating: Int(common), count: claimed) }
        var sizes: [Int] = []
        for _ in 0..<claimed {
            let size = Int(try fields.u32())
            guard size > 0 else { throw MovieError(.emptySample, "has an empty sample") }
            sizes.append(size)
        }
        return sizes
    }

    /// `stts`, expanded.
    private static func durations(_ box: FieldReader, count: Int) throws(MovieError) -> [UInt32] {
        var fields = box
        _ = try fields.version(newest: 0)
        var durations: [UInt32] = []
        for _ in 0..<(try fields.entryCount(size: 8)) {
            let run = Int(try fields.u32())
            guard run >= 1, run <= count - durations.count else { throw disagreement("stts") }
            durations.append(contentsOf: repeatElement(try fields.u32(), count: run))
        }
        guard durations.count == count else { throw disagreement("stts") }
        return durations
    }

    /// `ctts`, expanded; signed in version 0 too, as QuickTime writes it. Without the table all are 0.
    private static func offsets(_ box: FieldReader?, count: Int) throws(MovieError) -> [Int32] {
        guard var fields = box else { return Array(repeating: 0, count: count) }
        _ = try fields.version(newest: 1)
        var offsets: [Int32] = []
        for _ in 0..<(try fields.entryCount(size: 8)) {
            let run = Int(try fields.u32())
            guard run >= 1, run <= count - offsets.count else { throw disagreement("ctts") }
            offsets.append(contentsOf: repeatElement(try fields.i32(), count: run))
        }
        guard offsets.count == count else { throw disagreement("ctts") }
        return offsets
    }

    /// `stss`, as one flag for each sample. Without the table all are sync samples.
    private static func syncs(_ box: FieldReader?, count: Int) throws(MovieError) -> [Bool] {
        guard var fields = box else { return Array(repeating: true, count: count) }
        _ = try fields.version(newest: 0)
        var syncs = Array(repeating: false, count: count)
        var last = 0
        for _ in 0..<(try fields.entryCount(size: 4)) {
            let number = Int(try fields.u32())
            guard number > last, number <= count else { throw disagreement("stss") }
            syncs[number - 1] = true
            last = number
        }
        return syncs
    }

    /// Where each sample begins, from `stsc` and `stco` or `co64`.
    private static func places(_ table: BoxList, sizes: [Int]) throws(MovieError) -> [Int64] {
        let chunks = try chunks(table, most: sizes.count)
        var runs = try table.only("stsc")
        _ = try runs.version(newest: 0)
        let runCount = try runs.entryCount(size: 12)
        guard runCount >= 1, try runs.u32() == 1 else { throw disagreement("stsc") }
        var places: [Int64] = []
        places.reserveCapacity(sizes.count)
        var chunk = 0
        for run in 0..<runCount {
            let samplesPerChunk = Int(try runs.u32())
            guard try runs.u32() == 1 else { throw MovieError(.sampleDescriptions, "has samples of another description than the only one") }
            let next = run + 1 < runCount ? Int(try runs.u32()) - 1 : chunks.count
            guard samplesPerChunk >= 1, next > chunk, next <= chunks.count else { throw disagreement("stsc") }
            while chunk < next {
                guard samplesPerChunk <= sizes.count - places.count else { throw disagreement("stsc") }
                var place = chunks[chunk]
                for _ in 0..<samplesPerChunk {
                    let (end, overflow) = place.addingReportingOverflow(Int64(sizes[places.count]))
                    guard !overflow else { throw MovieError(.sampleOutsideMediaData, "has a sample behind the end of the file") }
                    places.append(place)
                    place = end
                }
                chunk += 1
            }
        }
        guard places.count == sizes.count else { throw disagreement("stsc") }
        return places
    }

    /// `stco` or `co64`: offsets from the beginning of the file.
    private static func chunks(_ table: BoxList, most: Int) throws(MovieError) -> [Int64] {
        let (short, long) = (try table.optional("stco"), try table.optional("co64"))
        guard (short == nil) != (long == nil), var fields = short ?? long else {
            throw MovieError(.boxMissing, "does not have exactly one of stco and co64 in its stbl box")
        }
        _ = try fields.version(newest: 0)
        let count = try fields.entryCount(size: short == nil ? 8 : 4)
        guard count >= 1, count <= most else { throw disagreement(short == nil ? "co64" : "stco") }
        var chunks: [Int64] = []
        for _ in 0..<count {
            let offset = short == nil ? try fields.u64() : UInt64(try fields.u32())
            guard let offset = Int64(exactly: offset) else {
                throw MovieError(.sampleOutsideMediaData, "has a sample behind the end of the file")
            }
            chunks.append(offset)
        }
        return chunks
    }
}
