/// Writes a `trak` box (ISO/IEC 14496-12 §8.3).
struct TrackWriter {
    let number: UInt32
    /// Since 1904.
    let seconds: UInt64
    /// In ticks of the movie.
    let shownDuration: UInt64
    let brand: MovieBrand

    func write(_ track: VideoTrack, into moov: inout BoxWriter) {
        let format = track.format
        let tables = SampleTableWriter(samples: track.samples, firstOffset: track.firstOffset, brand: brand)
        moov.box("trak") { trak in
            header(into: &trak, volume: 0) { tkhd in
                tkhd.matrix(format.rotation, width: format.width, height: format.height)
                tkhd.u32(UInt32(format.width) << 16)
                tkhd.u32(UInt32(format.height) << 16)
            }
            edits(track.edit, into: &trak)
            media(timescale: format.timescale, duration: tables.duration, handler: "vide", name: "Video", into: &trak) { minf in
                minf.fullBox("vmhd", flags: 1) { $0.zeros(8) }
                references(into: &minf)
                tables.write(into: &minf) { VideoEntry.write(format, brand: brand, into: &$0) }
            }
        }
    }

    func write(_ track: SoundTrack, into moov: inout BoxWriter) {
        let format = track.format
        let tables = SampleTableWriter(samples: track.samples, firstOffset: track.firstOffset, brand: brand)
        moov.box("trak") { trak in
            header(into: &trak, volume: 1 << 8) { tkhd in
                tkhd.matrix(.none, width: 0, height: 0)
                tkhd.zeros(8)
            }
            edits(track.edit, into: &trak)
            media(timescale: format.timescale, duration: tables.duration, handler: "soun", name: "Sound", into: &trak) { minf in
                minf.fullBox("smhd") { $0.zeros(4) }
                references(into: &minf)
                tables.write(into: &minf) { SoundEntry.write(format, brand: brand, into: &$0) }
            }
        }
    }

    private func header(into trak: inout BoxWriter, volume: UInt16, shape: (inout BoxWriter) -> Void) {
        let version: UInt8 = max(seconds, shownDuration) > UInt64(UInt32.max) ? 1 : 0
        // Enabled, in the movie.
        trak.fullBox("tkhd", version: version, flags: 3) { tkhd in
            tkhd.wide(seconds, version: version)
            tkhd.wide(seconds, version: version)
            tkhd.u32(number)
            tkhd.u32(0)
            tkhd.wide(shownDuration, version: version)
            tkhd.zeros(12)
            tkhd.u16(volume)
            tkhd.u16(0)
            shape(&tkhd)
        }
    }

    private func edits(_ edit: MovieEdit?, into trak: inout BoxWriter) {
        guard let edit else { return }
        let version: UInt8 =
            max(edit.delay, edit.duration) > UInt64(UInt32.max) || Int32(exactly: edit.mediaTime) == nil ? 1 : 0
        trak.box("edts") { edts in
            edts.fullBox("elst", version: version) { elst in
                let entries = (edit.delay > 0 ? [(edit.delay, Int64(-1))] : []) + [(edit.duration, edit.mediaTime)]
                elst.u32(UInt32(entries.count))
                for (duration, mediaTime) in entries {
                    elst.wide(duration, version: version)
                    if version == 1 { elst.u64(UInt64(bitPattern: mediaTime)) } else { elst.i32(Int32(clamping: mediaTime)) }
                    elst.u32(1 << 16)
                }
            }
        }
    }

    private func media(
        timescale: UInt32, duration: UInt64, handler: FourCharacterCode, name: String, into trak: inout BoxWriter,
        information: (inout BoxWriter) -> Void
    ) {
        trak.box("mdia") { mdia in
            let version: UInt8 = max(seconds, duration) > UInt64(UInt32.max) ? 1 : 0
            mdia.fullBox("mdhd", version: version) { mdhd in
                mdhd.wide(seconds, version: version)
                mdhd.wide(seconds, version: version)
                mdhd.u32(timescale)
                mdhd.wide(duration, version: version)
                // Language "und".
                mdhd.u16(0x55c4)
                mdhd.u16(0)
            }
            mdia.handler(handler, name: name, component: brand == .quickTime ? FourCharacterCode("mhlr").value : 0)
            mdia.box("minf") { information(&$0) }
        }
    }

    /// Samples are in this file.
    private func references(into minf: inout BoxWriter) {
        minf.box("dinf") { dinf in
            dinf.fullBox("dref") { dref in
                dref.u32(1)
                dref.fullBox("url ", flags: 1) { _ in }
            }
        }
    }
}
