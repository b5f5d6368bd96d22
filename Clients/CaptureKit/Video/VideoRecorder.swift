import CaptureProtocol
import Depth
import Foundation
import Models
import Movie
import VideoChain

/// Records one video: chains each sample as it comes out of the encoder, has checkpoints signed while recording goes on, and seals
/// everything at once, so that whatever was recorded can be sent although the process is killed (SPEC §10.2, §10.3).
///
/// Made by ``CaptureStore/beginRecording(_:isQuickTime:privacy:appVersion:signer:)``. What it recorded becomes a capture by
/// ``CaptureStore/addRecording(_:assert:)``. In privacy mode no checkpoints are signed, since they are not sent, and the depth is measured
/// while recording goes on.
public actor VideoRecorder {
    /// The identifier of the capture that the recording becomes.
    public nonisolated let id: LocalID
    /// Ticks by which a picture may come out of an encoder after one that is shown later: 16 pictures, as many as H.264 and HEVC reorder.
    private static let longestReordering: Int64 = 16 * 20
    /// Pictures that may come between one that cannot be encoded and the interruption to which that is due: those that wait.
    private static let picturesBeforeInterruption = 3
    /// Pieces of sound that may come meanwhile: some seconds, in case no picture comes any more.
    private static let soundBeforeInterruption = 300

    private let recording: [UInt8]
    private let isQuickTime: Bool
    private let privacy: RecordingPrivacy?
    private let files: SealedFiles
    private let signer: any RecordingSigner
    private var chains: RecordingChains?
    private var writer: RecordingWriter?
    private let lock: FileLock
    /// Signs the checkpoints one after the other, so that their counters rise.
    private var signing: Task<Void, Never>?
    private var pictureFormat: VideoFormat?
    private var soundFormat: (format: SoundFormat, priming: Int64)?
    private var firstPicture: Int64?
    private var firstShown: Int64?
    /// When the last picture that has come out ends, in ticks after the first.
    private var shownEnd: Int64 = 0
    private var firstPacket: Int64?
    /// When the last packet that has come out ends, in ticks after the first.
    private var soundEnd: Int64 = 0
    private var longestPacket: UInt32 = 0
    private var budget: RecordingBudget
    /// Depth maps with the times of their pictures. Each is kept until its picture has come out of the encoder and all maps before it are
    /// written.
    private var depths: [(time: Int64, depth: DepthPlane, luma: LumaImage?, sample: (number: UInt32, time: Int64)?)] = []
    /// `nil` unless in privacy mode.
    private var measurement: RecordingMeasurement?
    /// Measure the latest keyframes, each after the one before it.
    private var measuring: [Task<Void, Never>] = []
    private var pictures = 0
    /// Depth maps that were taken.
    private var depthCount = 0

    /// - Parameters:
    ///   - lock: held until the recorder goes: nobody takes what it writes for a recording that was cut off.
    ///   - budget: for the file.
    init(
        _ recording: VideoRecording, id: LocalID, isQuickTime: Bool, privacy: RecordingPrivacy?, files: SealedFiles,
        signer: any RecordingSigner, lock: FileLock, budget: RecordingBudget = RecordingBudget()
    ) throws {
        self.recording = try WireJSON.encode(recording)
        guard (try? VideoRecording.parse(self.recording)) != nil, privacy?.fits(recording) != false else {
            throw RecordingError.invalidInput
        }
        self.privacy = privacy
        self.id = id
        self.isQuickTime = isQuickTime
        self.files = files
        self.signer = signer
        self.lock = lock
        self.budget = budget
    }

    /// Records until the source ends, is interrupted, 15 s of pictures or, while no picture comes, of sound are full, or the file or the
    /// depth is as much as the server takes. Once only. If an interruption follows at once where the encoder fails, as when a phone's app
    /// goes to the background, that is an end too: with what had come out.
    /// - Parameter sound: `nil` to record without sound.
    /// - Throws: ``RecordingError``, ``FileError``, and errors of source and encoders. What was recorded stays in the store, sealed: added
    ///   now, or by ``CaptureStore/recoverRecordings()``, it is a partial recording.
    public func record<Picture, Sound>(
        from source: some FrameSource<Picture, Sound>, video: some VideoEncoder<Picture>, sound: (some AudioEncoder<Sound>)?
    ) async throws {
        do {
            try await take(from: source, video: video, sound: sound)
        } catch {
            await signing?.value
            await measuring.last?.value
            throw error
        }
        try await finish()
    }

    private func take<Picture, Sound>(
        from source: some FrameSource<Picture, Sound>, video: some VideoEncoder<Picture>, sound: (some AudioEncoder<Sound>)?
    ) async throws {
        var isInterrupted = false
        recording: while let input = try await source.next() {
            switch input {
            case .picture(let picture, let time, let depth):
                let since = time - (firstPicture ?? time)
                guard since < VideoTime.limit, pictures < HashChain.frameCounts.upperBound else { break recording }
                let hasDepth = depth != nil && pictures.isMultiple(of: VideoTime.picturesPerDepth)
                if hasDepth, let depth, isFull(for: depth) { break recording }
                firstPicture = firstPicture ?? time
                let isMeasured = privacy != nil && hasDepth
                try take(depth, isMeasured ? await video.luma(of: picture) : nil, at: since, hasSound: sound != nil)
                guard let samples = try await encode(picture, at: since, with: video, from: source) else {
                    isInterrupted = true
                    break recording
                }
                try await write(pictures: samples, of: video)
                if budget.isFull { break recording }
            case .sound(let piece):
                guard let sound, writer != nil else { continue }
                try await write(packets: try await sound.encode(piece), of: sound)
                if isSoundFull || budget.isFull { break recording }
            case .interruption:
                isInterrupted = true
                break recording
            }
        }
        let rest: [EncodedSample]
        do {
            rest = try await video.finish()
        } catch {
            guard isInterrupted else { throw error }
            rest = []
        }
        try await write(pictures: rest, of: video)
        if let sound { try await write(packets: try await sound.finish(), of: sound) }
    }

    /// The system takes the encoder away before the source can tell of the interruption: what it gives until then is left out.
    /// - Returns: `nil` if the picture cannot be encoded, and an interruption follows.
    private func encode<Picture, Sound>(
        _ picture: Picture, at time: Int64, with video: some VideoEncoder<Picture>, from source: some FrameSource<Picture, Sound>
    ) async throws -> [EncodedSample]? {
        do {
            return try await video.encode(picture, at: time)
        } catch {
            var (others, pieces) = (0, 0)
            while others <= Self.picturesBeforeInterruption, pieces < Self.soundBeforeInterruption, let input = try? await source.next() {
                switch input {
                case .picture: others += 1
                case .sound: pieces += 1
                case .interruption: return nil
                }
            }
            throw error
        }
    }

    /// Whether the sound goes on behind the last picture that may come, as it does when the camera stalls: the server takes 15.5 s of it.
    private var isSoundFull: Bool {
        guard let timescale = soundFormat?.format.timescale else { return false }
        return soundEnd >= VideoTime.soundLimit(timescale: timescale, packet: longestPacket)
    }

    /// Whether the server would refuse the depth data with one more map.
    private func isFull(for depth: DepthPlane) -> Bool {
        let bytes = DepthData.headerBytes + (depthCount + 1) * (DepthData.headerBytes + depth.bytes.count)
        return depthCount >= DepthData.recordCounts.upperBound || bytes > SizeLimits.depthData
    }

    /// Opens the recording with the first picture, whose depth says how large depth maps are.
    private func take(_ depth: DepthPlane?, _ luma: LumaPlane?, at time: Int64, hasSound: Bool) throws {
        defer { pictures += 1 }
        if writer == nil {
            guard let depth, let width = UInt16(exactly: depth.width), let height = UInt16(exactly: depth.height) else {
                throw RecordingError.invalidInput
            }
            writer = try RecordingWriter(
                try files.createLog(SealedItem(id, .recording)), recording: recording, isQuickTime: isQuickTime, depthWidth: width,
                depthHeight: height, privacy: privacy)
            chains = RecordingChains(
                recording: ContentDigest(of: recording), depthWidth: width, depthHeight: height, hasSound: hasSound)
            if privacy != nil { measurement = RecordingMeasurement(luma, depth) }
        }
        guard let depth, pictures.isMultiple(of: VideoTime.picturesPerDepth), let chains else { return }
        guard depth.width == Int(chains.depthWidth), depth.height == Int(chains.depthHeight) else { throw RecordingError.invalidInput }
        depths.append((time, depth, measurement?.reduced(luma), nil))
        depthCount += 1
    }

    private func write(pictures samples: [EncodedSample], of encoder: some VideoEncoder) async throws {
        guard !samples.isEmpty, !budget.isFull else { return }
        if pictureFormat == nil {
            guard let format = await encoder.format else { throw RecordingError.noFormat }
            pictureFormat = format
            chains?.begin(format)
            try writer?.note(.pictures(.init(format)))
        }
        for sample in samples {
            guard budget.take(sample) else { return }
            let time = sample.presentationTime - (firstShown ?? sample.presentationTime)
            firstShown = firstShown ?? sample.presentationTime
            shownEnd = max(shownEnd, time + Int64(sample.duration))
            let number = UInt32(clamping: chains?.frameHashes.count ?? 0)
            // The first picture that comes out need not be the camera's first, so the two are not at the same times.
            let pictureTime = sample.pictureTime ?? time
            let place = depths.firstIndex { $0.time == pictureTime }
            let depth = place.map { depths[$0].depth }
            if let place { depths[place].sample = (number, time) }
            try await writeDepths(givingUpBefore: pictureTime - Self.longestReordering)
            let depthDigest = depth.map { ContentDigest(of: $0.bytes) }
            try writer?.append(sample, depth: depthDigest)
            sign(chains?.append(picture: ContentDigest(of: sample.bytes), depth: depthDigest, time: time) ?? [])
        }
    }

    /// Writes the depth maps whose samples have come out, in ascending time.
    /// - Parameter time: of a picture; earlier depth maps whose samples have not come out are dropped: the encoder left their pictures out.
    private func writeDepths(givingUpBefore time: Int64) async throws {
        while let next = depths.first {
            if let sample = next.sample {
                try writer?.append(next.depth, sample: sample.number, time: sample.time)
                await measure(next.depth, next.luma, sample: sample.number, time: sample.time)
            } else if next.time >= time {
                return
            }
            depths.removeFirst()
        }
    }

    /// Measures a keyframe's depth while recording goes on. Recording waits only if too many keyframes are still to be measured, that is if
    /// measuring is slower than the camera.
    private func measure(_ depth: DepthPlane, _ luma: LumaImage?, sample: UInt32, time: Int64) async {
        guard let measurement, let timescale = pictureFormat?.timescale else { return }
        if measuring.count >= RecordingMeasurement.mostWaiting { await measuring.removeFirst().value }
        measuring.append(
            Task { [last = measuring.last] in
                await last?.value
                await measurement.add(depth, luma, sample: sample, time: time, timescale: timescale)
            })
    }

    /// What was measured, as JSON.
    private func measured() async -> [UInt8]? {
        await measuring.last?.value
        guard let timescale = pictureFormat?.timescale else { return nil }
        return await measurement?.measured(end: shownEnd, timescale: timescale).flatMap { try? WireJSON.encode($0) }
    }

    private func write(packets samples: [EncodedSample], of encoder: some AudioEncoder) async throws {
        guard !samples.isEmpty, !budget.isFull else { return }
        if soundFormat == nil {
            guard let format = await encoder.format else { throw RecordingError.noFormat }
            let priming = await encoder.priming
            soundFormat = (format, priming)
            chains?.begin(format)
            try writer?.note(.sound(.init(format, priming: priming)))
        }
        // An encoder that is behind may give more at the end than the server takes.
        for sample in samples where !isSoundFull {
            guard budget.take(sample) else { return }
            let time = sample.presentationTime - (firstPacket ?? sample.presentationTime)
            firstPacket = firstPacket ?? sample.presentationTime
            soundEnd = max(soundEnd, time + Int64(sample.duration))
            longestPacket = max(longestPacket, sample.duration)
            try writer?.append(sample, isSound: true)
            sign(chains?.append(packet: ContentDigest(of: sample.bytes), time: time) ?? [])
        }
    }

    /// Has checkpoints signed while recording goes on.
    private func sign(_ reached: [VideoCheckpoint]) {
        guard privacy == nil else { return }
        for checkpoint in reached {
            try? writer?.note(.checkpoint(.init(checkpoint)))
            signing = Task { [signing, signer] in
                await signing?.value
                let assertion = await signer.assertion(over: VideoClientData.hash(of: checkpoint))
                if let assertion { await self.keep(assertion, of: checkpoint) }
            }
        }
    }

    /// What cannot be written now, such as on a full disk, fails with the next sample.
    private func keep(_ assertion: [UInt8], of checkpoint: VideoCheckpoint) async {
        try? writer?.note(assertion, of: checkpoint.index, by: await signer.device)
    }

    private func finish() async throws {
        sign(chains?.endSound() ?? [])
        await signing?.value
        try await writeDepths(givingUpBefore: .max)
        guard let writer, chains?.frameHashes.isEmpty == false else { throw RecordingError.empty }
        if let measured = await measured() { try writer.note(.measured, measured) }
        try writer.end()
    }

    /// Ends the protection from being recovered; for when the capture is made.
    nonisolated func release() { lock.unlock() }
}
