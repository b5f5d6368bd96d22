import CaptureKit
import Testing

@Suite("The states of a capture")
struct CaptureStateTests {
    @Test("an uploaded capture can only be sent once more, and every other can still be sent")
    func reachesUploaded() {
        #expect(CaptureState.uploaded.next == [.pending])
        for state in CaptureState.allCases where state != .uploaded {
            var reachable: Set<CaptureState> = [state]
            while true {
                let more = reachable.union(reachable.flatMap(\.next))
                if more == reachable { break }
                reachable = more
            }
            #expect(reachable.contains(.uploaded), "\(state)")
        }
    }

    @Test("only a capture that is being sent becomes uploaded")
    func onlyFromUploading() {
        #expect(CaptureState.allCases.filter { $0.next.contains(.uploaded) } == [.uploading])
    }
}
