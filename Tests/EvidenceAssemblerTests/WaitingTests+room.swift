import CaptureProtocol
import Delivery
import Models
import ObjectStorage
import TestSupport
import Testing

@testable import EvidenceAssembler

/// Videos that find no room on disk, and what waits beside them.
extension WaitingTests {
    /// Accepts captures with all their parts that nobody completed for a while.
    private func park(_ captures: [SampleCapture], in rig: any AssemblerRig) async throws {
        for capture in captures {
            try await rig.accept(capture.announcement)
            for part in EvidencePart.allCases {
                try await rig.answer(part, try capture.result(of: part), failure: nil, of: capture.id)
                let context = MessageContext(eventID: EventID(), topic: .mediaSynced, logger: .quiet)
                _ = try await rig.captures.take(part, of: capture.id, answering: context)
            }
            try await rig.age(capture.id, seconds: 200)
        }
    }

    private func videos(_ count: Int, in rig: any AssemblerRig) async throws -> [SampleCapture] {
        var videos: [SampleCapture] = []
        for _ in 0..<count { videos.append(try await SampleCapture.video(in: rig.store)) }
        return videos
    }

    private func photos(_ count: Int, in rig: any AssemblerRig) async throws -> [SampleCapture] {
        var photos: [SampleCapture] = []
        for _ in 0..<count { photos.append(try await SampleCapture(in: rig.store)) }
        return photos
    }

    /// How often the originals of the videos were read.
    private func reads(of videos: [SampleCapture], in rig: any AssemblerRig) -> Int {
        let keys = Set(videos.map { MediaName.originalVideo.key(of: $0.id) })
        return rig.store.requests.count { $0.verb == .get && keys.contains($0.key) }
    }

    @Test("a video without room for its signed copy holds up no photo, and is the only one that is read", arguments: Backend.available)
    func photosBesideVideos(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let (videos, photos) = (try await videos(3, in: rig), try await photos(5, in: rig))
        try await park(videos + photos, in: rig)
        rig.issuer.set(.signsPhotos)
        try await rig.retryUnsigned()
        for photo in photos { #expect(try await rig.state(of: photo.id).package?.contentCredentials.status == .embedded) }
        for video in videos { #expect(try await rig.state(of: video.id) == CaptureState()) }
        #expect(Set(rig.issuer.asked.prefix(5)) == Set(photos.map(\.id)))
        #expect(reads(of: videos, in: rig) == 1)
        rig.issuer.set(.signs)
        try await rig.retryUnsigned()
        for video in videos { #expect(try await rig.state(of: video.id).package?.contentCredentials.status == .embedded) }
    }

    @Test("videos that cannot be read to disk do not keep a photo from finding out that the signer is back", arguments: Backend.available)
    func trialBesideVideos(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        var videos: [SampleCapture] = []
        for _ in 0..<50 { videos.append(try await SampleCapture(unreadableVideo: CaptureID(), in: rig.store)) }
        try await park(videos, in: rig)
        rig.issuer.set(.signsTrials)
        let photo = try await rig.completed(try await SampleCapture(in: rig.store))
        #expect(try await rig.state(of: photo.id) == CaptureState())
        try await rig.age(photo.id)
        try await rig.retryUnsigned(scratchFolder: "/nowhere")
        #expect(try await rig.state(of: photo.id).package?.contentCredentials.status == .embedded)
        #expect(rig.issuer.asked == [photo.id, photo.id])
        #expect(reads(of: videos, in: rig) <= 1)
        #expect(try await rig.captures.unsigned(limit: 50).videos.count == 50)
    }

    @Test("a complete video without room for its signed copy holds up none of a photo", arguments: Backend.available)
    func signedPhotosBesideVideos(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        rig.issuer.set(.noTimestamp)
        let (videos, photos) = (try await videos(3, in: rig), try await photos(5, in: rig))
        for capture in videos + photos { _ = try await rig.completed(capture) }
        let longest = try await rig.credentials.waiting(limit: 1)
        #expect(longest.videos == [videos[0].id] && longest.others == [photos[0].id])
        let before = reads(of: videos, in: rig)
        rig.issuer.set(.signsPhotos)
        try await rig.retryWaiting()
        for photo in photos { #expect(try await rig.state(of: photo.id).package?.contentCredentials.status == .embedded) }
        for video in videos { #expect(try await rig.state(of: video.id).package?.contentCredentials.status == .pending) }
        #expect(reads(of: videos, in: rig) == before + 1)
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        for video in videos { #expect(try await rig.state(of: video.id).package?.contentCredentials.status == .embedded) }
    }

    @Test("photos that the store does not give hold up no video", arguments: Backend.available)
    func videosBesidePhotos(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let (videos, photos) = (try await videos(2, in: rig), try await photos(FailureLimit.failures, in: rig))
        try await park(videos + photos, in: rig)
        rig.issuer.set(.signsVideos)
        await #expect(throws: ObjectStorageError.self) { try await rig.retryUnsigned() }
        for video in videos { #expect(try await rig.state(of: video.id).package?.contentCredentials.status == .embedded) }
        for photo in photos { #expect(try await rig.state(of: photo.id) == CaptureState()) }
    }

    @Test("the longest waiting are found of videos and of the others apart", arguments: Backend.available)
    func apart(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let (videos, photos) = (try await videos(2, in: rig), try await photos(2, in: rig))
        try await park(videos + photos, in: rig)
        let longest = try await rig.captures.unsigned(limit: 1)
        #expect(longest.videos == [videos[0].id] && longest.others == [photos[0].id])
        #expect(try await rig.captures.unsigned(limit: 50).all.count == 4)
    }
}
