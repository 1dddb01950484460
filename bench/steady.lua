-- Each connection is some machines that look at their document once a second, not all at the same moment.
function delay()
   return math.random(0, 250)
end
