"""The portal as people use it: a real Chromium before a real `forewarn up`. No test sleeps for a fixed time."""
