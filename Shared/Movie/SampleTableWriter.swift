/// Writes a `stbl` box (ISO/IEC 14496-12 §8.5).
struct SampleTableWriter {
    let samples: [MovieSample]
    let firstOffset: Int64
    let brand: MovieBrand

    var duration: UInt64 { samples.reduce(0) { $0 + UInt64($1.duration) } }

    func write(into minf: inout BoxWriter, entry: (inout BoxWriter) -> Void) {
        minf.box("stbl") { stbl in
            stbl.fullBox("stsd") { stsd in
                stsd.u32(1)
                entry(&stsd)
            }
            writeTimes(into: &stbl)
            if !samples.allSatisfy(\.isSync) {
                stbl.fullBox("stss") { stss in
                    let numbers = samples.indices.filter { samples[$0].isSync }
                    stss.u32(UInt32(numbers.count))
                    for number in numbers { stss.u32(UInt32(number + 1)) }
                }
            }
            writePlaces(into: &stbl)
        }
    }

    private func writeTimes(into stbl: inout BoxWriter) {
        stbl.fullBox("stts") { stts in
            let runs = Self.runs(samples.map(\.duration))
            stts.u32(UInt32(runs.count))
            for run in runs {
                stts.u32(run.count)
                stts.u32(run.value)
            }
        }
        let offsets = samples.map { Int32(clamping: $0.time + firstOffset - $0.decodeTime) }
        guard offsets.contains(where: { $0 != 0 }) else { return }
        // QuickTime has signed offsets in version 0.
        stbl.fullBox("ctts", version: brand == .mp4 && offsets.contains { $0 < 0 } ? 1 : 0) { ctts in
            let runs = Self.runs(offsets)
            ctts.u32(UInt32(runs.count))
            for run in runs {
                ctts.u32(run.count)
                ctts.i32(run.value)
            }
        }
    }

    private func writePlaces(into stbl: inout BoxWriter) {
        let chunks = chunks
        stbl.fullBox("stsc") { stsc in
            let runs = Self.runs(chunks.map(\.count))
            stsc.u32(UInt32(runs.count))
            var first: UInt32 = 1
            for run in runs {
                stsc.u32(first)
                stsc.u32(UInt32(run.value))
                stsc.u32(1)
                first += run.count
            }
        }
        stbl.fullBox("stsz") { stsz in
            stsz.u32(0)
            stsz.u32(UInt32(samples.count))
            for sample in samples { stsz.u32(UInt32(clamping: sample.size)) }
        }
        if chunks.contains(where: { $0.offset > Int64(UInt32.max) }) {
            stbl.fullBox("co64") { co64 in
                co64.u32(UInt32(chunks.count))
                for chunk in chunks { co64.u64(UInt64(clamping: chunk.offset)) }
            }
        } else {
            stbl.fullBox("stco") { stco in
                stco.u32(UInt32(chunks.count))
                for chunk in chunks { stco.u32(UInt32(clamping: chunk.offset)) }
            }
        }
    }

    /// Runs of samples without a gap.
    private var chunks: [(offset: Int64, count: Int)] {
        var chunks: [(offset: Int64, count: Int)] = []
        var end: Int64?
        for sample in samples {
            if sample.offset == end, !chunks.isEmpty {
                chunks[chunks.count - 1].count += 1
            } else {
                chunks.append((sample.offset, 1))
            }
            end = sample.offset + Int64(sample.size)
        }
        return chunks
    }

    private static func runs<Value: Equatable>(_ values: [Value]) -> [(value: Value, count: UInt32)] {
        var runs: [(value: Value, count: UInt32)] = []
        for value in values {
            if runs.last?.value == value { runs[runs.count - 1].count += 1 } else { runs.append((value, 1)) }
        }
        return runs
    }
}
